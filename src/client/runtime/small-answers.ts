// Answers of servers that somebody else has named: they may never end.

const maxBytes = 64 * 1024;

/** The JSON in an answer. Throws if it is none, or longer than a relay's would be. */
export async function smallJson({ body }: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let [text, bytes] = ["", 0];
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      bytes += next.value.length;
      if (bytes > maxBytes) throw new Error("the answer is too long");
      text += decoder.decode(next.value, { stream: true });
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
  return JSON.parse(text + decoder.decode());
}
