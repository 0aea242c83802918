import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fileRows } from '#shared/agents/files/rows.ts'
import { storageRows } from '#shared/agents/storage/rows.ts'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'
import {
  playContainer,
  type PlayedContainer,
  Refused,
} from '#tests/support/agents/played-container.ts'

let world: FilesWorld

beforeAll(async () => {
  world = await startFiles()
})
afterAll(() => world.close())

const path = fc.constantFrom('a', 'b', 'folder/c')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ by: fc.constant('owner' as const), path, size: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('owner' as const), path }) },
  { weight: 4, arbitrary: fc.record({ by: fc.constant('agent' as const), path, size: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('agent' as const), path }) },
  {
    weight: 4,
    arbitrary: fc.record({
      by: fc.constantFrom('pull' as const, 'commit' as const, 'sync' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ by: fc.constant('late' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constantFrom('deaf' as const, 'crash' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The last event at a path: a written content; undefined for a deletion. */
interface Said {
  owner?: { content: string | undefined; version: number }
  agent?: { content: string | undefined; sawOwner: boolean }
  last: 'owner' | 'agent'
}

interface Scene {
  ada: FilesOwner
  container: PlayedContainer
  said: Map<string, Said>
}

const ids = ({ ada }: Scene) => ({ userId: ada.id, agentId: ada.agentId })
const versionOf = async (scene: Scene) =>
  (await fileRows.find(world.table, ids(scene)))?.version ?? 0

/** Returns a content with the given size that no other step writes. */
const contentOf = (size: number, at: number) => `${at}:`.padEnd(size + 4, 'x')

async function storedAt({ ada }: Scene, at: string): Promise<string | undefined> {
  const answer = await ada.get(at)
  return answer.status === 404 ? undefined : answer.text()
}

async function ownerWrites(scene: Scene, at: string, content: string | undefined) {
  const { ada, said } = scene
  const { status } = content === undefined ? await ada.delete(at) : await ada.put(at, content)
  if (content === undefined && status === 404) return
  expect(status).toBe(200)
  const owner = { content, version: await versionOf(scene) }
  said.set(at, { ...said.get(at), owner, last: 'owner' })
}

function agentWrites({ container, said }: Scene, at: string, content: string | undefined) {
  if (content === undefined && !container.disk.has(at)) return
  if (content === undefined) container.disk.delete(at)
  else container.disk.set(at, content)
  const before = said.get(at)
  const sawOwner = before?.owner === undefined || container.version() >= before.owner.version
  said.set(at, { ...before, agent: { content, sawOwner }, last: 'agent' })
}

/** Repeats an earlier commit, as a network may deliver it late. It changes nothing. */
async function repeatCommit(scene: Scene, which: number) {
  const { commits, ask } = scene.container
  const body = commits[which % Math.max(1, commits.length)]
  if (body === undefined) return
  const before = await fileRows.find(world.table, ids(scene))
  await ask('commit', body).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error
    expect(error.code).toBe('FILES_CHANGED')
  })
  expect(await fileRows.find(world.table, ids(scene))).toEqual(before)
}

/** Ends the container without its last commit, and starts the next one. */
async function crash(scene: Scene, generation: number) {
  const old = scene.container
  await old.crash()
  for (const at of scene.said.keys()) {
    const owner = { content: await storedAt(scene, at), version: 0 }
    scene.said.set(at, { owner, last: 'owner' })
  }
  scene.container = await playContainer(world, scene.ada, generation)
  await scene.container.start()
  old.disk.set('zombie', 'x')
  await expect(old.sync()).rejects.toMatchObject({ name: 'Refused' })
}

async function act(scene: Scene, one: Step, at: number): Promise<void> {
  const { container } = scene
  if (one.by === 'owner' || one.by === 'agent') {
    const content = 'size' in one ? contentOf(one.size, at) : undefined
    if (one.by === 'owner') await ownerWrites(scene, one.path, content)
    else agentWrites(scene, one.path, content)
  } else if (one.by === 'pull') await container.pull()
  else if (one.by === 'commit') await container.commit()
  else if (one.by === 'sync') await container.sync()
  else if (one.by === 'late') await repeatCommit(scene, one.which)
  else if (one.by === 'deaf') container.answer(() => 500)
  else await crash(scene, at + 2)
}

/** The content that may be at a path in the end. */
function expectedAt({ owner, agent, last }: Said): (string | undefined)[] {
  if (last === 'owner' || agent === undefined) return [owner?.content]
  // The owner's write wins if the agent had not seen it.
  return agent.sawOwner ? [agent.content] : [agent.content, owner?.content]
}

async function usedBytes(scene: Scene): Promise<number> {
  return (await storageRows.find(world.table, { userId: scene.ada.id }))?.taken ?? 0
}

const bytesOn = ({ container }: Scene) =>
  [...container.disk.values()].reduce((sum, content) => sum + Buffer.byteLength(content), 0)

it('an acknowledged write is lost only to the owner’s at the same path, in any order of writes and commits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const ada = await world.newOwner()
      const container = await playContainer(world, ada)
      const scene: Scene = { ada, container, said: new Map() }
      try {
        await container.start()
        let version = 0
        for (const [at, one] of steps.entries()) {
          await act(scene, one, at)
          const now = await versionOf(scene)
          expect(now).toBeGreaterThanOrEqual(version)
          version = now
        }
        await scene.container.sync()
        for (const [at, said] of scene.said) {
          const found = await storedAt(scene, at)
          expect(expectedAt(said)).toContain(found)
          expect(scene.container.disk.get(at)).toBe(found)
        }
        expect(await usedBytes(scene)).toBe(bytesOn(scene))
      } finally {
        await scene.container.close()
      }
    }),
    { numRuns: 60 },
  )
}, 240_000)

it('writes and commits at the same time leave one content at each path, and the sum of their sizes', async () => {
  const write = fc.record({ by: fc.constantFrom('owner', 'agent'), path, size: fc.nat(9) })
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 2, maxLength: 10 }), async (writes) => {
      const ada = await world.newOwner()
      const container = await playContainer(world, ada)
      const scene: Scene = { ada, container, said: new Map() }
      try {
        await container.start()
        await Promise.all(
          writes.map(async ({ by, path: at, size }, i) => {
            const content = contentOf(size, i)
            if (by === 'owner') expect((await ada.put(at, content)).status).toBe(200)
            else {
              container.disk.set(at, content)
              await container.sync()
            }
          }),
        )
        await container.sync()
        for (const at of new Set(writes.map((one) => one.path))) {
          const candidates = writes.flatMap((one, i) =>
            one.path === at ? [contentOf(one.size, i)] : [],
          )
          const found = await storedAt(scene, at)
          expect(candidates).toContain(found)
          expect(container.disk.get(at)).toBe(found)
        }
        expect(await usedBytes(scene)).toBe(bytesOn(scene))
      } finally {
        await container.close()
      }
    }),
    { numRuns: 25 },
  )
}, 240_000)
