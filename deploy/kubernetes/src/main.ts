import { writeChart } from './chart.ts';

// npm run chart -- DIRECTORY: writes the Helm chart, made from the kustomize base
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('npm run chart -- DIRECTORY\n');
  process.exitCode = 2;
} else {
  try {
    writeChart(folder);
    process.stdout.write(
      `written: helm install boxoffice ${folder} --namespace boxoffice --set host=tickets.example.org\n`,
    );
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
