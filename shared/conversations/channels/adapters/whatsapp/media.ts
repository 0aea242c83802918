import { whatsappMedia } from '../limits.ts'

/** Returns the kind of message and the media type that a file is sent with; undefined if WhatsApp refuses it. */
export function mediaKind(mime: string, bytes: number): { kind: string; mime: string } | undefined {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  // Every text format is sent as plain text, under the file's own name.
  const sent = type.startsWith('text/') || type === 'application/json' ? 'text/plain' : type
  const kind = Object.entries(whatsappMedia).find(([, { types }]) => types.includes(sent))
  return kind !== undefined && bytes <= kind[1].bytes ? { kind: kind[0], mime: sent } : undefined
}

/** Returns the reason why WhatsApp refuses a file. */
export function noMedia({ mime, size }: { mime: string; size: number }): string {
  return `WhatsApp takes no file of type ${mime} and ${size} bytes`
}
