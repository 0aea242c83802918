/** A page declares its charset within its first 1,024 bytes: contract.md 10. */
const prescanBytes = 1024

type Decoder = InstanceType<typeof TextDecoder>

/**
 * Returns the decoder of a page: by its byte order mark, the header, a meta tag, otherwise UTF-8 (WHATWG's encodings
 * and labels). Invalid bytes become U+FFFD.
 * @param head the page's first 1,024 bytes, or all of them
 */
function decoderFor(head: Uint8Array, contentType: string): Decoder {
  return (
    byMark(head) ??
    byLabel(/;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType)) ??
    byMeta(head) ??
    new TextDecoder()
  )
}

function byMark([a, b, c]: Uint8Array): Decoder | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder()
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be')
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le')
  return undefined
}

function byLabel(found: RegExpExecArray | null): Decoder | undefined {
  const label = found?.slice(1).find((each) => each !== undefined)
  return label === undefined ? undefined : decoderOf(label)
}

/** Returns undefined for a label that WHATWG does not define. */
function decoderOf(label: string): Decoder | undefined {
  try {
    return new TextDecoder(label.trim())
  } catch {
    return undefined
  }
}

/** Implements the common part of WHATWG HTML 13.2.3.2. */
function byMeta(head: Uint8Array): Decoder | undefined {
  const text = String.fromCharCode(...head.subarray(0, prescanBytes)).replaceAll(
    /<!--.*?(?:-->|$)/gs,
    '',
  )
  for (const [tag] of text.matchAll(/<meta[\s/][^>]*>/gi)) {
    const decoder = decoderOf(labelIn(tag) ?? '')
    // The tag was readable as ASCII, so the page is not UTF-16, even if it declares it.
    if (decoder !== undefined)
      return decoder.encoding.startsWith('utf-16') ? new TextDecoder() : decoder
  }
  return undefined
}

function labelIn(tag: string): string | undefined {
  const attribute = (name: string) =>
    new RegExp(`[\\s/"']${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i')
      .exec(tag)
      ?.slice(1)
      .find((each) => each !== undefined)
  const charset = attribute('charset')
  if (charset !== undefined) return charset
  if (attribute('http-equiv')?.toLowerCase() !== 'content-type') return undefined
  return /charset\s*=\s*["']?([^\s;"']+)/i.exec(attribute('content') ?? '')?.[1]
}

/** Decodes a page as it arrives. The first bytes and the content type determine the encoding. */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<string> {
  let head = new Uint8Array()
  let decoder: Decoder | undefined
  for await (const chunk of body) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true })
      continue
    }
    head = joined(head, chunk)
    if (head.length < prescanBytes) continue
    decoder = decoderFor(head, contentType)
    yield decoder.decode(head, { stream: true })
  }
  yield decoder === undefined ? decoderFor(head, contentType).decode(head) : decoder.decode()
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
