"use strict";
(() => {
  const root = document.body.dataset.root;

  // A personal link has the code behind "#": it fills the field, and leaves the address.
  const code = document.querySelector("[data-code]");
  if (code && location.hash.length > 1) {
    code.value = decodeURIComponent(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
  }

  const receipt = document.querySelector("[data-receipt]");
  const say = (text) => {
    receipt.textContent = text;
  };

  async function handIn(name, body) {
    say(`Handing in ${name} …`);
    try {
      const answer = await fetch(`${root}/me/submit?filename=${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { "Content-Type": "application/octet-stream", Accept: "application/json" },
        body,
      });
      const data = await answer.json();
      if (!answer.ok) {
        say(data.problem);
        return;
      }
      say(`Received as version ${data.number} at ${data.received}, SHA-256 ${data.hash}. It is being checked.`);
      renew();
    } catch {
      say("The server could not be reached. Nothing was handed in; try again.");
    }
  }

  // Several files become a .zip without compression: a format that is simple to write.
  const TABLE = Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    }
    return value >>> 0;
  });
  const checksum = (bytes) => {
    let value = 0xffffffff;
    for (const byte of bytes) {
      value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
    }
    return (value ^ 0xffffffff) >>> 0;
  };
  const numbers = (...pairs) => {
    const size = pairs.reduce((sum, [, width]) => sum + width, 0);
    const view = new DataView(new ArrayBuffer(size));
    let place = 0;
    for (const [value, width] of pairs) {
      width === 2 ? view.setUint16(place, value, true) : view.setUint32(place, value, true);
      place += width;
    }
    return new Uint8Array(view.buffer);
  };
  async function zipped(files) {
    const parts = [];
    const directory = [];
    let offset = 0;
    for (const file of files) {
      const name = new TextEncoder().encode(file.webkitRelativePath || file.name);
      const bytes = new Uint8Array(await file.arrayBuffer());
      const about = [
        [20, 2],
        [2048, 2],
        [0, 2],
        [0, 2],
        [33, 2],
        [checksum(bytes), 4],
        [bytes.length, 4],
        [bytes.length, 4],
      ];
      const head = numbers([0x04034b50, 4], ...about, [name.length, 2], [0, 2]);
      directory.push(
        numbers(
          [0x02014b50, 4],
          [20, 2],
          ...about,
          [name.length, 2],
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 4],
          [offset, 4],
        ),
        name,
      );
      parts.push(head, name, bytes);
      offset += head.length + name.length + bytes.length;
    }
    const size = directory.reduce((sum, part) => sum + part.length, 0);
    const end = numbers(
      [0x06054b50, 4],
      [0, 2],
      [0, 2],
      [files.length, 2],
      [files.length, 2],
      [size, 4],
      [offset, 4],
      [0, 2],
    );
    return new Blob([...parts, ...directory, end]);
  }
  async function take(files) {
    if (files.length === 1 && !files[0].webkitRelativePath) {
      await handIn(files[0].name, files[0]);
    } else if (files.length) {
      await handIn("bot.zip", await zipped(files));
    }
  }

  document.querySelector("[data-file]")?.addEventListener("change", (event) => take([...event.target.files]));
  document.querySelector("[data-folder]")?.addEventListener("change", (event) => take([...event.target.files]));
  const drop = document.querySelector("[data-drop]");
  if (drop) {
    for (const [kind, over] of [
      ["dragover", true],
      ["dragleave", false],
      ["drop", false],
    ]) {
      drop.addEventListener(kind, (event) => {
        event.preventDefault();
        drop.classList.toggle("over", over);
        if (kind === "drop") {
          take([...event.dataTransfer.files]);
        }
      });
    }
  }

  // Parts of the page are renewed in place, except one that somebody is typing in.
  async function renew() {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
    if (!answer.ok) {
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const other = fresh.querySelector(`[data-part="${part.dataset.part}"]`);
      if (other && !part.contains(document.activeElement)) {
        part.replaceWith(other);
      }
    }
  }
  if (document.body.dataset.events && document.querySelector("[data-part]")) {
    let last = "";
    const source = new EventSource(`${root}/events`);
    source.onmessage = (event) => {
      if (last && event.data !== last) {
        renew();
      }
      last = event.data;
    };
  }
})();
