import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  isOpen,
  isTime,
  newTime,
  refusal,
  type SlackMethod,
  type SlackPost,
  type SlackWorkspace,
} from './slack-methods.ts'

interface SlackFile {
  id: string
  name: string
  mimetype: string
  bytes: Buffer
}

export interface SlackFiles {
  /** The address of the server, where files are stored too. */
  base: string
  methods: Record<string, SlackMethod>
  stored: Map<string, SlackFile>
  /** Stores a file that a person shares, and returns it as an event describes it. */
  share(file: { name: string; mimetype: string; bytes: Buffer }): Record<string, unknown>
  /** The address that `files.info` returns for files, if it is another server's. */
  elsewhere?: string
  /** Answers requests for uploads and downloads. */
  serve(response: ServerResponse, request: FileRequest): Promise<void>
}

interface FileRequest {
  method: string | undefined
  path: string
  authorization: string
  type: string
  body: Buffer
}

/** Uploads in three steps, and downloads with the bot's token. */
export function slackFiles(workspace: SlackWorkspace, posts: SlackPost[]): SlackFiles {
  const stored = new Map<string, SlackFile>()
  const uploads = new Map<string, { name: string; length: number; bytes?: Buffer }>()
  const id = () => `F${randomBytes(5).toString('hex').toUpperCase()}`

  const described = ({ id: file, name, mimetype, bytes }: SlackFile) => {
    const address = `${files.elsewhere ?? files.base}/files-pri/${workspace.teamId}-${file}/${encodeURIComponent(name)}`
    const link = { url_private: address, url_private_download: address }
    return { id: file, name, mimetype, size: bytes.length, mode: 'hosted', ...link }
  }

  const files: SlackFiles = {
    base: '',
    stored,
    share(file) {
      const one = { id: id(), ...file }
      stored.set(one.id, one)
      return described(one)
    },
    methods: {
      'files.info': {
        scope: 'files:read',
        answer({ file = '' }) {
          const found = stored.get(file)
          return found
            ? { ok: true, file: described(found) }
            : { ok: false, error: 'file_not_found' }
        },
      },
      'files.getUploadURLExternal': {
        scope: 'files:write',
        formOnly: true,
        answer({ filename: name = '', length = '' }) {
          if (name === '' || !/^[1-9]\d*$/.test(length))
            return { ok: false, error: 'invalid_arguments' }
          const file = id()
          uploads.set(file, { name, length: Number(length) })
          return { ok: true, upload_url: `${files.base}/upload/v1/${file}`, file_id: file }
        },
      },
      'files.completeUploadExternal': {
        scope: 'files:write',
        answer({ files: list = '', channel_id: channel = '', thread_ts: thread }) {
          const given = (typeof list === 'string' ? JSON.parse(list) : list) as { id: string }[]
          if (!isOpen(workspace.members, channel)) return { ok: false, error: refusal(channel) }
          if (thread !== undefined && !isTime(thread))
            return { ok: false, error: 'invalid_thread_ts' }
          for (const { id: file } of given) {
            const { name, bytes } = uploads.get(file) ?? {}
            if (name === undefined || bytes === undefined)
              return { ok: false, error: 'file_not_found' }
            uploads.delete(file)
            stored.set(file, { id: file, name, mimetype: '', bytes })
          }
          const post = { channel, text: '', ts: newTime(), unfurls: false }
          const ids = given.map(({ id: file }) => file)
          posts.push({ ...post, files: ids, ...(thread !== undefined && { thread }) })
          return { ok: true, files: given }
        },
      },
    },
    async serve(response, { method, path, authorization, type, body }) {
      const upload = uploads.get(path.split('/').at(-1) ?? '')
      if (method === 'POST' && upload !== undefined) {
        const bytes = await uploaded(type, body)
        // The address of an upload works once.
        if (bytes.length !== upload.length || upload.bytes !== undefined)
          return void response.writeHead(400).end()
        upload.bytes = bytes
        return void response.end(`OK - ${bytes.length}`)
      }
      const file = stored.get(/-(F[0-9A-F]+)\//.exec(path)?.[1] ?? '')
      if (authorization !== `Bearer ${workspace.token}` || file === undefined)
        // A request without a valid token gets the page for signing in, with status 200.
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
      response.writeHead(200, {
        'content-type': file.mimetype,
        'content-length': file.bytes.length,
      })
      response.end(file.bytes)
    },
  }
  return files
}

/** An upload is raw, or a form with one file. */
async function uploaded(type: string, body: Buffer): Promise<Buffer> {
  if (!type.startsWith('multipart/form-data')) return body
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': type },
  }).formData()
  const file = [...form.values()].find((value) => value instanceof File)
  return file === undefined ? Buffer.alloc(0) : Buffer.from(await file.arrayBuffer())
}
