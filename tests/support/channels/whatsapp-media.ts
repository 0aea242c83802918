import { createHash, randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'

interface Stored {
  mime: string
  bytes: Buffer
  /** True if the app uploaded it; false if a person sent it. */
  own: boolean
}

export interface WhatsAppMedia {
  base: string
  /** The address of downloads, if it is another server's. */
  elsewhere?: string
  /** Stores a file that a person sends. @returns its id */
  receive(file: { mime: string; bytes: Buffer }): string
  get(id: string): Stored | undefined
  isUploaded(type: string, id: unknown): boolean
  describe(id: string): Record<string, unknown> | undefined
  upload(type: string, body: Buffer): Promise<[status: number, body: unknown]>
  serve(response: ServerResponse, authorization: string | undefined, id: string | null): void
}

/** The types of uploads and their sizes in bytes: Meta's "Supported media types". */
const uploads: Record<string, { mime: RegExp; most: number }> = {
  image: { mime: /^image\/(jpeg|png)$/, most: 5 << 20 },
  video: { mime: /^video\/(mp4|3gpp)$/, most: 16 << 20 },
  audio: { mime: /^audio\/(aac|mp4|mpeg|amr|ogg)$/, most: 16 << 20 },
  document: {
    mime: /^(text\/plain|application\/(pdf|msword|vnd\.(ms-(excel|powerpoint)|openxmlformats-officedocument\.\S+)))$/,
    most: 100 << 20,
  },
}

/** Media of the Cloud API: uploads as forms, and downloads in two steps with the token. */
export function whatsappMedia({ accessToken }: { accessToken: string }): WhatsAppMedia {
  const stored = new Map<string, Stored>()
  const store = (file: Stored) => {
    const id = String(randomInt(1e14, 2e14))
    stored.set(id, file)
    return id
  }
  const media: WhatsAppMedia = {
    base: '',
    receive: (file) => store({ ...file, own: false }),
    get: (id) => stored.get(id),
    isUploaded(type, id) {
      const file = stored.get(String(id))
      return file?.own === true && uploads[type]?.mime.test(file.mime) === true
    },
    describe(id) {
      const file = stored.get(id)
      if (file === undefined) return undefined
      const origin = media.elsewhere ?? media.base
      return {
        messaging_product: 'whatsapp',
        url: `${origin}/whatsapp_business/attachments/?mid=${id}&ext=1&hash=played`,
        mime_type: file.mime,
        sha256: createHash('sha256').update(file.bytes).digest('hex'),
        file_size: file.bytes.length,
        id,
      }
    },
    async upload(type, body) {
      const headers = { 'content-type': type }
      const form = await new Response(new Uint8Array(body), { headers })
        .formData()
        .catch(() => undefined)
      const file = form?.get('file')
      if (form?.get('messaging_product') !== 'whatsapp' || !(file instanceof File))
        return [400, graphError(100, 'Invalid parameter')]
      const mime = file.type.split(';')[0] ?? ''
      const kind = Object.values(uploads).find((each) => each.mime.test(mime))
      if (kind === undefined || file.size > kind.most)
        return [400, graphError(100, 'Param file must be a file with a supported type')]
      const bytes = Buffer.from(await file.arrayBuffer())
      return [200, { id: store({ mime, bytes, own: true }) }]
    },
    serve(response, authorization, id) {
      const file = stored.get(id ?? '')
      if (authorization !== `Bearer ${accessToken}` || file === undefined)
        return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': file.mime, 'content-length': file.bytes.length })
      response.end(file.bytes)
    },
  }
  return media
}

/** Returns an error as the Graph API describes it. */
export function graphError(code: number, message: string): Record<string, unknown> {
  return {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details: message },
      fbtrace_id: 'Aplayed',
    },
  }
}
