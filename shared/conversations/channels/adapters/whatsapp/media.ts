import { whatsappMedia } from '../limits.ts'

/** Returns as what kind of message a file is sent, and with what type. @returns undefined if WhatsApp does not take it */
export function mediaKind(mime: string, bytes: number): { kind: string; mime: string } | undefined {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  // Every text is a document of plain text under its own name.
  const sent = type.startsWith('text/') || type === 'application/json' ? 'text/plain' : type
  const kind = Object.entries(whatsappMedia).find(([, { types }]) => types.includes(sent))
  return kind !== undefined && bytes <= kind[1].bytes ? { kind: kind[0], mime: sent } : undefined
}

/** Returns the reason why WhatsApp does not take a file. */
export function noMedia({ mime, size }: { mime: string; size: number }): string {
  return `WhatsApp takes no file of type ${mime} and ${size} bytes`
}
