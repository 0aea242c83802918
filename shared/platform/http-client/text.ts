/** The beginning of a response's body. */
export interface TextBeginning {
  /** Null if the bytes are not UTF-8. A truncated character is left out. */
  text: string | null
  cut: boolean
}

/** Reads the beginning of a response's body as text, and closes the response. @param most in bytes */
export async function textBeginning(
  { body, close }: { body: AsyncIterable<Uint8Array>; close: () => void },
  most: number,
): Promise<TextBeginning> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) break
    }
  } finally {
    close()
  }
  const cut = size > most
  const bytes = Buffer.concat(chunks).subarray(0, most)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut }), cut }
  } catch {
    return { text: null, cut }
  }
}
