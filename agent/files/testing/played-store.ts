import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import * as z from 'zod'
import { byBytes, bytesOf } from '../names.ts'
import { type FolderNode, folderOf, listOf, type Node } from '../tree.ts'
import { listSchema, type Part } from '../wire.ts'

/** A fault that a test sets for a request. `lost`: the request is carried out, but its response is lost. */
type Fault = { status: number; body?: object } | 'lost' | undefined

interface Row {
  version: number
  origin: string
  root: Part | null
  bytes: number
  files: number
  holder: number | undefined
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns the id of a pack. */
export function newPackId(): string {
  return `0${[...randomBytes(25)].map((byte) => digits[byte % 32]).join('')}`
}

const question = z.object({
  generation: z.number(),
  packs: z.array(z.unknown()).default([]),
  base: z.number().optional(),
  root: z.custom<Part | null>().optional(),
  bytes: z.number().default(0),
  files: z.number().default(0),
  release: z.boolean().optional(),
})

/** A played platform with the routes of agent files and the object store. */
export class PlayedStore implements AsyncDisposable {
  readonly objects = new Map<string, Buffer>()
  row: Row = { version: 0, origin: newPackId(), root: null, bytes: 0, files: 0, holder: undefined }
  /** The paths of all requests, with the pack of a request to the object store. */
  readonly asked: string[] = []
  /** Decides about each request. @param path `/api/agent-files/<verb>`, or `/objects/<pack>` */
  fault: (path: string, method: string) => Fault | Promise<Fault> = () => undefined
  linkMs = 300_000
  /** The number of packs for last commits. */
  releasedPacks = 0
  fileLimit = 200_000
  readonly #sizes = new Map<string, number>()
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy())
  })

  static async start(): Promise<PlayedStore> {
    const store = new PlayedStore()
    store.#server.listen(0, '127.0.0.1')
    await once(store.#server, 'listening')
    return store
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin)
    this.asked.push(url.pathname)
    const fault = await this.fault(url.pathname, request.method ?? '')
    const reply = (status: number, body: object | Buffer = {}) => {
      if (fault === 'lost') return void response.destroy()
      response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
    }
    if (typeof fault === 'object') {
      request.resume()
      return reply(fault.status, fault.body)
    }
    if (url.pathname.startsWith('/objects/')) return this.#serveObject(request, url, reply)
    const asked = question.parse(await json(request))
    const [status, body] = this.#answer(url.pathname.slice('/api/agent-files/'.length), asked)
    reply(status, body)
  }

  async #serveObject(
    request: IncomingMessage,
    url: URL,
    reply: (status: number, body?: Buffer) => void,
  ): Promise<void> {
    const id = url.pathname.slice('/objects/'.length)
    if (Number(url.searchParams.get('until')) < Date.now()) {
      request.resume()
      return reply(403)
    }
    if (request.method === 'PUT') {
      const bytes = await buffer(request)
      if (this.objects.has(id)) return reply(412)
      if (bytes.length !== this.#sizes.get(id)) return reply(400)
      this.objects.set(id, bytes)
      return reply(200)
    }
    const [, from = 0, to = 0] = (
      /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    ).map(Number)
    const object = this.objects.get(id)
    return object === undefined ? reply(404) : reply(206, object.subarray(from, to + 1))
  }

  #answer(verb: string, asked: z.output<typeof question>): [number, object] {
    const { row } = this
    const { generation } = asked
    const held = [409, { error: 'held', code: 'FILES_HELD' }] as [number, object]
    const expiresAt = new Date(Date.now() + this.linkMs).toISOString()
    const urlOf = (id: string) => `${this.origin}/objects/${id}?until=${Date.now() + this.linkMs}`
    if (verb === 'open') {
      if (generation < (row.holder ?? 0)) return held
      row.holder = generation
      const { holder: _, ...opened } = row
      return [200, { ...opened, fileLimit: this.fileLimit }]
    }
    if (row.holder !== generation) return held
    if (verb === 'links') {
      const ids = asked.packs as string[]
      if (ids.length > 1000) return [400, { error: 'too many' }]
      return [200, { links: ids.map((id) => ({ id, url: urlOf(id) })), expiresAt }]
    }
    if (verb === 'packs') {
      if (asked.release) this.releasedPacks += asked.packs.length
      const packs = (asked.packs as { bytes: number }[]).map(({ bytes }) => {
        const id = newPackId()
        this.#sizes.set(id, bytes)
        return { id, url: urlOf(id), method: 'PUT', headers: { 'if-none-match': '*' } }
      })
      return [200, { packs, expiresAt }]
    }
    const { base = 0, root = null, bytes, files } = asked
    const isRepeated = row.version === base + 1 && JSON.stringify(row.root) === JSON.stringify(root)
    if (!isRepeated) {
      if (row.version !== base)
        return [409, { error: 'changed', code: 'FILES_CHANGED', version: row.version }]
      if (root !== null) this.#requirePacks(root)
      Object.assign(row, { version: base + 1, root, bytes, files })
    }
    if (asked.release) row.holder = undefined
    return [200, { version: row.version }]
  }

  /** @throws Error if a list or a file of a root refers to bytes that do not exist */
  #requirePacks(tree: Part): void {
    for (const entry of this.list(tree)) {
      if (entry.type === 'folder') this.#requirePacks(entry.tree)
      if (entry.type === 'file') for (const part of entry.parts) this.bytesOf(part)
    }
  }

  bytesOf([id, offset, length]: Part): Buffer {
    const bytes = this.objects.get(id)?.subarray(offset, offset + length)
    if (bytes?.length !== length) throw new Error(`the pack ${id} is incomplete`)
    return bytes
  }

  list(tree: Part) {
    return listSchema.parse(JSON.parse(this.bytesOf(tree).toString()))
  }

  /** Returns all stored entries by path: the content of a file, null for a folder, and the target of a link. */
  content(tree = this.row.root, path = ''): Map<string, Buffer | string | null> {
    const all = new Map<string, Buffer | string | null>()
    if (tree === null) return all
    const list = this.list(tree)
    const names = list.map(({ name }) => name)
    if (names.some((name, i) => i > 0 && byBytes(names[i - 1] ?? '', name) >= 0))
      throw new Error('a list is not sorted')
    for (const entry of list) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.type === 'folder') {
        all.set(at, null)
        for (const [below, value] of this.content(entry.tree, at)) all.set(below, value)
      } else if (entry.type === 'link') all.set(at, entry.target)
      else all.set(at, Buffer.concat(entry.parts.map((part) => this.bytesOf(part))))
    }
    return all
  }

  /** Returns the texts of all stored files by path. */
  texts(): Record<string, string> {
    const files = [...this.content()].filter(([, value]) => Buffer.isBuffer(value))
    return Object.fromEntries(files.map(([path, value]) => [path, String(value)]))
  }

  /**
   * Changes files as the API does, while no container runs or beside it.
   * @param changes the new text of a file by path; null removes an entry
   */
  change(changes: Record<string, string | null>): void {
    let tree = this.#read(this.row.root)
    for (const [path, text] of Object.entries(changes))
      tree = this.#set(tree, path.split('/'), text)
    const root = tree.entries.size === 0 ? null : this.#store(tree)
    const { bytes, files } = tree
    Object.assign(this.row, { version: this.row.version + 1, root, bytes, files })
  }

  #read(tree: Part | null): FolderNode {
    const entries = (tree === null ? [] : this.list(tree)).map((entry): [string, Node] => {
      const node = { ...entry, mode: entry.mode }
      if (node.type === 'folder') return [entry.name, { ...this.#read(node.tree), mode: node.mode }]
      if (node.type === 'link') return [entry.name, node]
      return [entry.name, { ...node, stat: undefined, pieces: undefined }]
    })
    return folderOf({ mode: undefined, mtime: Date.now() }, new Map(entries))
  }

  #set(folder: FolderNode, names: readonly string[], text: string | null): FolderNode {
    const [name = '', ...rest] = names
    const entries = new Map(folder.entries)
    const before = entries.get(name)
    if (rest.length > 0) {
      const child =
        before?.type === 'folder'
          ? before
          : folderOf({ mode: undefined, mtime: Date.now() }, new Map())
      entries.set(name, this.#set(child, rest, text))
    } else if (text === null) entries.delete(name)
    else {
      const bytes = Buffer.from(text)
      const id = newPackId()
      this.objects.set(id, bytes)
      const parts: Part[] = bytes.length === 0 ? [] : [[id, 0, bytes.length]]
      const file = {
        size: bytes.length,
        tag: `api-${id}`,
        parts,
        stat: undefined,
        pieces: undefined,
      }
      entries.set(name, { type: 'file', mode: undefined, mtime: Date.now(), ...file })
    }
    return folderOf(folder, entries)
  }

  #store(folder: FolderNode): Part {
    for (const node of folder.entries.values())
      if (node.type === 'folder') node.tree = this.#store(node)
    const bytes = Buffer.from(JSON.stringify(listOf(folder)))
    const id = newPackId()
    this.objects.set(id, bytes)
    return [id, 0, bytes.length]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Returns the path of an entry below a folder, for names that are not UTF-8. */
export function pathIn(folder: string, ...names: string[]): Buffer {
  return Buffer.concat([
    Buffer.from(folder),
    ...names.flatMap((name) => [Buffer.from('/'), bytesOf(name)]),
  ])
}
