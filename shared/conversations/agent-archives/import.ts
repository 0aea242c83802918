import { encodeTime } from 'ulid'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { findSkill } from '#shared/agents/workspace/skills/catalogue.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { messageRows } from '../chat/rows.ts'
import { beginAgent, idOfBeginning, requireBeginning } from '../restore-points/begin.ts'
import type { SnapshotContent } from '../restore-points/content.ts'
import type { BeginContext } from '../restore-points/work/context.ts'
import { requireRoom } from '../scheduled-tasks/room.ts'
import { taskRows } from '../scheduled-tasks/rows.ts'
import { type Archived, parseArchive, readArchive } from './read.ts'
import { importObject, importRows } from './rows.ts'
import { manualSettings } from './schema.ts'
import { openStored, unpackFiles } from './unpack-files.ts'

type Imports = Pick<UserContext, 'actor' | 'owner' | 'seed'> & BeginContext & Can<'packs'>

/** More bytes than these are unpacked by the job, because a request is too short for them. */
const inlineBytes = 32 * 1024 * 1024

/**
 * Creates an agent from an archive. Its skills are installed within the plan's limit, in the catalogue's current
 * versions. Because an archive may come from a stranger, its schedules are disabled, and settings that let an agent act
 * by itself are turned off. A rejected archive changes nothing.
 * @param input.zip an exported archive, possibly edited
 * @throws PlatformError 400, 413, 409 TASK_LIMIT_REACHED, and as beginAgent
 */
export async function importAgent(ctx: Imports, { zip }: { zip: Uint8Array }): Promise<Agent> {
  requireBeginning(ctx)
  return begin(ctx, await readArchive(zip))
}

/**
 * Creates an agent from an archive that was uploaded by a link.
 * @throws PlatformError 404, 409 if nothing was uploaded or it was imported already, and as importAgent
 */
export async function importUploaded(
  ctx: Imports,
  { importId }: { importId: string },
): Promise<Agent> {
  const { table, owner: userId, packs } = ctx
  requireBeginning(ctx)
  const row = await importRows.find(table, { userId, importId })
  if (row === undefined) throw notFound('Import')
  const agentId = idOfBeginning(ctx)
  if (row.agentId !== undefined && row.agentId !== agentId)
    throw new PlatformError('conflict', 'The archive was already imported')
  const key = importObject(row)
  const made = await readAgent(table, { userId, agentId })
  if (made === undefined && (await packs.sizeOf(key)) === undefined)
    throw new PlatformError('conflict', 'Nothing was uploaded with the link of this import yet')
  const agent = made ?? (await begin(ctx, parseArchive(await openStored(packs, key)), { key }))
  await table.update(importRows.key({ userId, importId }), {
    set: { agentId: agent.id },
    if: 'attribute_exists(pk)',
  })
  return agent
}

async function begin(ctx: Imports, archived: Archived, stored?: { key: string }): Promise<Agent> {
  const agentId = idOfBeginning(ctx)
  const imported = await contentOf(agentId, archived)
  const store = userStore(ctx.table, ctx.owner)
  // An earlier attempt may have created some tasks, which are not counted twice.
  await requireRoom(store, { agentId, tasks: imported.tasks.length })
  const { files } = archived
  if (files.length === 0) return beginAgent(ctx, imported)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return beginAgent(ctx, imported, {
    bytes,
    async store(_restore, goOn) {
      if (bytes > inlineBytes && stored !== undefined)
        return { kind: 'archive', ...stored, bytes, files: files.length }
      const next = await unpackFiles(ctx.packs, { agentId, files }, goOn)
      return next && { kind: 'stored', ...next }
    },
  })
}

/** Returns the content of the new agent. */
export async function contentOf(
  agentId: string,
  { agent, policy, notes, skills, tasks, messages }: Archived,
): Promise<SnapshotContent> {
  const at = new Date().toISOString()
  const times = messages.map(({ timestamp }) => Date.parse(timestamp))
  const seeds = await seedsOf(agentId, times)
  const ids = await seedsOf(
    `${agentId} schedules`,
    tasks.map(() => Date.parse(at)),
  )
  return {
    version: 1,
    agent: {
      ...agent,
      config: switchedOff(agent.config),
      id: agentId,
      running: true,
      sleepsByDefault: agent.config['sleepAfterMinutes'] === undefined ? true : undefined,
    },
    policy,
    notes: notes.map((note) => ({ ...note, updatedAt: at })),
    skills: skills.flatMap(({ skillId, enabled }) => {
      const skill = findSkill(skillId)
      if (skill === undefined) return []
      const { name, description, version, document } = skill
      return [{ skillId, name, description, version, document, enabled, installedAt: at }]
    }),
    tasks: tasks.map((task, i) => ({
      ...task,
      enabled: false,
      id: newId(taskRows.id, ids[i]),
      createdAt: at,
    })),
    messages: messages.map((message, i) => {
      const seed = seeds[i] ?? ''
      return { seed, row: { ...message, id: newId(messageRows.id, seed), agentId } }
    }),
    cut: false,
  }
}

function switchedOff(
  config: SnapshotContent['agent']['config'],
): SnapshotContent['agent']['config'] {
  return Object.fromEntries(
    Object.entries(config).filter(([name]) => !manualSettings.includes(name)),
  )
}

const timeLength = 10
const placeLength = 6
const seedLength = 26

/**
 * Returns deterministic seeds for an agent's imported messages: ULIDs with the messages' times, in the order of the
 * messages even for equal times, and unique to the agent.
 * @param times epoch milliseconds
 */
async function seedsOf(agentId: string, times: readonly number[]): Promise<string[]> {
  // Hexadecimal digits are valid ULID digits.
  const digits = await sha256Hex(agentId)
  const own = digits.slice(0, seedLength - timeLength - placeLength).toUpperCase()
  return times.map((time, i) => {
    const place = i.toString(16).toUpperCase().padStart(placeLength, '0')
    return encodeTime(time, timeLength) + place + own
  })
}
