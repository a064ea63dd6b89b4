// The control at the door: entry of the page.

document.querySelector('main').append(document.createElement('h1'));
document.querySelector('h1').textContent = document.title;
