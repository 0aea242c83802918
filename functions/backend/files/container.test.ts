import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileLimit } from '#shared/agents/files/change.ts'
import { type Entry, encodeEntries, type Part, totalsIn } from '#shared/agents/files/tree/entry.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { containerFiles } from '#tests/support/agents/container-files.ts'
import { type FilesWorld, startFiles } from '#tests/support/agents/files.ts'

let world: FilesWorld
let calls: ReturnType<typeof containerFiles>

beforeAll(async () => {
  world = await startFiles()
  calls = containerFiles(world)
})
afterAll(() => world.close())

const root: Part = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 0, 2]

/** Creates an agent whose container runs. */
async function newContainer(generation = 1) {
  const ada = await world.newOwner()
  const set = (fields: Record<string, unknown>) =>
    world.table.update(agentRows.key({ userId: ada.id, agentId: ada.agentId }), { set: fields })
  await set({ status: 'running', desired: 'running', generation, taskArn: 'task', aiKeyHash: 'x' })
  const key = await calls.keyOf(ada.id, ada.agentId, generation)
  const ask = async (verb: Parameters<typeof calls.ask>[1], body: object, by = key) =>
    calls.ask(by, verb, { generation, ...body })
  /** Stores bytes as a pack. @returns its id */
  async function store(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const { body } = await ask('packs', { packs: [{ bytes: bytes.length }] })
    const [pack] = body.packs as { id: string; url: string; headers: Record<string, string> }[]
    if (pack === undefined) throw new Error(JSON.stringify(body))
    const answer = await fetch(pack.url, { method: 'PUT', headers: pack.headers, body: bytes })
    expect(answer.status).toBe(200)
    return pack.id
  }
  /** Stores files of the workspace with their lists. @returns the fields of a commit */
  async function tree(files: Record<string, string>) {
    const entries: Entry[] = []
    const mtime = Date.now()
    for (const [name, text] of Object.entries(files)) {
      const content = new TextEncoder().encode(text)
      const parts: Part[] = [[await store(content), 0, content.length]]
      entries.push({ name, type: 'file', mtime, size: content.length, tag: `t-${text}`, parts })
    }
    const list = encodeEntries(entries) as Uint8Array<ArrayBuffer>
    const folder: Part = [await store(list), 0, list.length]
    const totals = totalsIn(entries)
    const workspace: Entry = { name: 'workspace', type: 'folder', mtime, tree: folder, ...totals }
    const top = encodeEntries([workspace]) as Uint8Array<ArrayBuffer>
    return { root: [await store(top), 0, top.length] as Part, ...totals }
  }
  return { ...ada, ask, set, store, tree, key }
}

describe('a container', () => {
  it('opens the files, reads and stores packs by links, and commits', async () => {
    const one = await newContainer()
    await one.put('before', 'text')
    const opened = await one.ask('open', {})
    expect(opened).toMatchObject({
      status: 200,
      body: { version: 1, bytes: 4, files: 1, fileLimit },
    })
    expect(await one.ask('open', {})).toEqual(opened)
    const [packId] = opened.body.root as Part
    const { body } = await one.ask('links', { packs: [packId] })
    const [link] = body.links as { id: string; url: string }[]
    expect(await (await fetch(link?.url ?? '')).text()).toContain('workspace')
    const commit = { base: 1, ...(await one.tree({ a: 'one', b: 'more' })) }
    expect(await one.ask('commit', commit)).toMatchObject({ status: 200, body: { version: 2 } })
    expect(await one.ask('commit', commit)).toMatchObject({ status: 200, body: { version: 2 } })
    expect(await one.text('b')).toBe('more')
    expect(await one.storage()).toMatchObject({ usedBytes: 7 })
  })

  it('is refused a commit that starts from another version', async () => {
    const one = await newContainer()
    await one.ask('open', {})
    const commit = { base: 0, ...(await one.tree({ a: 'agent' })) }
    await one.put('a', 'owner')
    expect(await one.ask('commit', commit)).toMatchObject({
      status: 409,
      body: { code: 'FILES_CHANGED', version: 1 },
    })
    expect(await one.text('a')).toBe('owner')
  })

  it.each([
    ['the wrong size', { bytes: 2 }],
    ['the wrong number', { files: 9 }],
    ['a root that is no list', { root }],
  ])('is refused a commit with %s of files', async (_, wrong) => {
    const one = await newContainer()
    await one.ask('open', {})
    const commit = { base: 0, ...(await one.tree({ a: 'one' })), ...wrong }
    expect((await one.ask('commit', commit)).status).toBe(400)
  })
})
