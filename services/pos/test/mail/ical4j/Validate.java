import java.io.FileInputStream;
import java.nio.file.Path;
import net.fortuna.ical4j.data.CalendarBuilder;

/** Reads the named calendar files, and writes what ical4j finds wrong with each, by RFC 5545 and its METHOD. */
public class Validate {
  public static void main(String[] names) throws Exception {
    for (String name : names) {
      try (FileInputStream file = new FileInputStream(name)) {
        new CalendarBuilder().build(file).validate().getEntries().forEach(
          (entry) -> System.out.println(Path.of(name).getFileName() + " " + entry.getSeverity() + " " + entry.getMessage())
        );
      }
    }
  }
}
