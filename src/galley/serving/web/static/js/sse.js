// Server-sent events over fetch: EventSource cannot send an Authorization header.

/** Collects the lines of an event stream; `add` returns an event when a line ends one, else null. */
class Collector {
  #event = "message";
  #data = [];
  #id = null;

  add(line) {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment, sent to keep the connection open
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    if (field === "data") this.#data.push(value);
    if (field === "id") this.#id = value;
    return null;
  }

  #finish() {
    const text = this.#data.join("\n");
    const event = text ? { event: this.#event, data: JSON.parse(text), id: this.#id } : null;
    this.#event = "message";
    this.#data = [];
    return event;
  }
}

/** Yields `{event, data, id}` with `data` parsed as JSON, from a response whose body is an event stream. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const collector = new Collector();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const event = collector.add(line.replace(/\r$/, ""));
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
