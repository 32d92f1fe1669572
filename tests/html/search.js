// tests/html/search.js: the search of what make html writes
// SPDX-License-Identifier: GPL-3.0-or-later
//
// search_index.js sets search_pages, a list of [title, file, summary, words]. It is loaded when the reader goes to
// the field, as a script, because a browser lets no page on a disk read another file.

(function () {
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const root = field.dataset.root;

  field.addEventListener("focus", function () {
    const index = document.createElement("script");
    index.src = root + "search_index.js";
    index.onload = show;
    document.head.append(index);
  }, { once: true });
  field.addEventListener("input", show);
  field.addEventListener("keydown", function (event) {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first)
      location.href = first.href;
    if (event.key === "Escape")
      field.value = "", show();
  });

  // Points of a page for one word: its name, a part of its title, of its summary, a word of its text.
  function points ([title, , summary, words], word) {
    const name = title.toLowerCase();
    return name === word ? 100 : name.startsWith(word) ? 50 : name.includes(word) ? 20
      : summary.toLowerCase().includes(word) ? 5 : words.includes(" " + word) ? 1 : 0;
  }

  function entry ([title, file, summary]) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + file;
    link.textContent = title;
    item.append(link, summary ? " " + summary : "");
    return item;
  }

  // Pages that have all words, the best first.
  function show () {
    const asked = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = asked.length === 0 || !window.search_pages ? []
      : search_pages.map(page => [page, asked.map(word => points(page, word))])
        .filter(([, each]) => each.every(Boolean))
        .map(([page, each]) => [page, each.reduce((a, b) => a + b)])
        .sort((a, b) => b[1] - a[1]).slice(0, 12);
    list.replaceChildren(...found.map(([page]) => entry(page)));
    if (asked.length > 0 && found.length === 0 && window.search_pages)
      list.append("nothing found");
  }
})();
