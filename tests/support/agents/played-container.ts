import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { tagOf } from '#shared/agents/files/etag.ts'
import { packReader } from '#shared/agents/files/packs.ts'
import type { FileEntry, Part } from '#shared/agents/files/tree/entry.ts'
import { openTree, type Totals, type Tree } from '#shared/agents/files/tree/tree.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { containerFiles, type ContainerVerb } from './container-files.ts'
import type { FilesWorld, FilesOwner } from './files.ts'
import { encryptionKey } from './files.ts'

interface Opened extends Totals {
  version: number
  origin: string
  root: Part | null
}

/** A commit that the platform refused. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: unknown

  constructor({ status, body }: { status: number; body: Record<string, unknown> }) {
    super(`${status} ${JSON.stringify(body)}`)
    this.code = body.code
  }
}

/**
 * Plays the container of an agent: its disk is a map of paths below the workspace, and its gateway has one route. It
 * follows docs/design/decisions/0034 with the routes and links of the platform.
 */
export async function playContainer(world: FilesWorld, owner: FilesOwner, generation = 1) {
  const { id: userId, agentId } = owner
  const calls = containerFiles(world)
  const key = await calls.keyOf(userId, agentId, generation)
  const token = await gatewayToken(encryptionKey, agentId, 1)
  const reader = packReader(world.packs, agentId)
  const disk = new Map<string, string>()
  const seen: (string | undefined)[] = []
  const commits: object[] = []
  let base: Opened | undefined
  let known = new Map<string, string>()
  let syncing: Promise<void> = Promise.resolve()
  let answers: (() => number | Promise<number>) | undefined

  const ask = async (verb: ContainerVerb, body: object) => {
    const answer = await calls.ask(key, verb, { generation, ...body })
    if (answer.status !== 200) throw new Refused(answer)
    return answer.body
  }

  async function filesIn(tree: Tree, root: Part | null): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const waiting = root === null ? [] : ['']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const names = path === '' ? [] : path.split('/')
      for (const { name, type } of (await tree.list(['workspace', ...names])) ?? []) {
        const below = [...names, name].join('/')
        if (type === 'folder') waiting.push(below)
        else {
          const file = (await tree.find(['workspace', ...names, name])) as FileEntry
          found.set(below, (await reader.readFile(file.parts, 0, file.size)).toString())
        }
      }
    }
    return found
  }

  const openedTree = ({ root, bytes, files }: Opened) =>
    openTree(reader.readList, root ?? undefined, { bytes, files })

  /** Applies the changes of others since the last version; they win at the same path. */
  async function pull(): Promise<void> {
    const next = (await ask('open', {})) as unknown as Opened
    if (base?.version === next.version && base.origin === next.origin) return
    if (base?.origin !== next.origin) {
      disk.clear()
      known.clear()
    }
    const stored = await filesIn(openedTree(next), next.root)
    for (const [path, content] of stored) if (known.get(path) !== content) disk.set(path, content)
    for (const path of known.keys()) if (!stored.has(path)) disk.delete(path)
    known = stored
    base = next
  }

  async function store(bytes: Uint8Array): Promise<string> {
    const { packs } = await ask('packs', { packs: [{ bytes: bytes.length }] })
    const [pack] = packs as { id: string; url: string; headers: Record<string, string> }[]
    if (pack === undefined) throw new Error('no pack was returned')
    const body = Uint8Array.from(bytes)
    const answer = await fetch(pack.url, { method: 'PUT', headers: pack.headers, body })
    if (!answer.ok) throw new Error(`a pack was refused: ${answer.status}`)
    return pack.id
  }

  /** Commits what the disk has more. @returns false if another writer was first */
  async function commit(release?: true): Promise<boolean> {
    if (base === undefined) throw new Error('the files are not open')
    const tree = openedTree(base)
    const before = new Map(disk)
    for (const path of known.keys())
      if (!before.has(path)) await tree.remove(['workspace', ...path.split('/')])
    for (const [path, content] of before) {
      if (known.get(path) === content) continue
      const bytes = new TextEncoder().encode(content)
      const size = bytes.length
      const parts: Part[] = size === 0 ? [] : [[await store(bytes), 0, size]]
      const names = ['workspace', ...path.split('/')]
      await tree.put(names, { mtime: Date.now(), size, tag: tagOf(bytes), parts })
    }
    // An unchanged tree writes no list, and keeps its root.
    const isEmpty = base.root === null && before.size === 0
    const root = isEmpty
      ? null
      : await tree.write(async (list) => [await store(list), 0, list.length])
    const { bytes, files } = tree.totals()
    const body = { base: base.version, root, bytes, files, ...(release && { release }) }
    commits.push(body)
    try {
      const { version } = await ask('commit', body)
      base = { ...base, root, bytes, files, version: Number(version) }
      known = before
      return true
    } catch (error) {
      if (error instanceof Refused && error.code === 'FILES_CHANGED') return false
      throw error
    }
  }

  async function sync(release?: true): Promise<void> {
    do await pull()
    while (!(await commit(release)))
  }
  /** One sync after the other. */
  const synced = (release?: true) => {
    syncing = syncing.catch(() => {}).then(() => sync(release))
    return syncing
  }

  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as { path?: string }
    const isAllowed = request.headers.authorization === `Bearer ${token}`
    seen.push(body.path)
    let status = isAllowed ? ((await answers?.()) ?? 200) : 401
    if (status === 200) await synced().catch(() => (status = 500))
    response.writeHead(status).end(JSON.stringify({ version: base?.version }))
  })
  const port = await listen(server, 0)
  const set = (fields: Record<string, unknown>) =>
    world.table.update(agentRows.key({ userId, agentId }), { set: fields })

  return {
    disk,
    /** The paths that the platform asked to sync. */
    seen,
    /** The bodies of all commits. */
    commits,
    /** Returns the version that the disk is based on. */
    version: () => base?.version ?? 0,
    key,
    ask,
    store,
    pull,
    commit,
    sync: synced,
    set,
    /** Makes the gateway answer otherwise: a status, or nothing for a while. */
    answer: (next: typeof answers) => (answers = next),
    /** Starts the container: the agent runs, and the disk has its files. */
    async start() {
      const address = { host: '127.0.0.1', port }
      await set({
        status: 'running',
        desired: 'running',
        generation,
        taskArn: `task-${generation}`,
        taskStatus: 'RUNNING',
        aiKeyHash: `hash-${generation}`,
        address,
      })
      await synced()
    },
    /** Ends the container after its last commit. */
    async stop() {
      await set({ status: 'stopped', desired: 'stopped' })
      await synced(true)
      await set({ taskStatus: 'STOPPED' })
      await closeServer(server, 0)
    },
    /** Ends the container at once. */
    async crash() {
      await closeServer(server, 0)
      await set({ status: 'error', taskStatus: 'STOPPED' })
    },
    close: () => closeServer(server, 0),
  }
}

export type PlayedContainer = Awaited<ReturnType<typeof playContainer>>
