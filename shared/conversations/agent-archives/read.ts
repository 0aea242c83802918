import type * as z from 'zod'
import type { AgentConfig } from '#shared/agents/record/agent.ts'
import { longestNote, memoryLimits } from '#shared/agents/workspace/memory/schema.ts'
import { findSkill } from '#shared/agents/workspace/skills/catalogue.ts'
import type { Policy } from '#shared/permits/policy/policy.ts'
import { policyChange } from '#shared/permits/policy/schema.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { parseInput } from '#shared/platform/validation.ts'
import type { SnapshotContent } from '../restore-points/content.ts'
import { taskLimit } from '../scheduled-tasks/create.ts'
import { newTask } from '../scheduled-tasks/schema.ts'
import { archiveBounds, fileBounds } from './bounds.ts'
import { isPath, noteKeyOf, paths } from './paths.ts'
import { agentFile, messageLine, type MessageLine, schedulesFile, skillsFile } from './schema.ts'
import { type PackedFile, unpack, type Unpacked } from './zip/unpack.ts'

/** The parsed content of an archive. */
export interface Archived {
  agent: Pick<SnapshotContent['agent'], 'name' | 'model' | 'plan' | 'aiProvider' | 'config'>
  policy: Policy | undefined
  notes: { key: string; text: string }[]
  skills: { skillId: string; enabled: boolean }[]
  tasks: Pick<
    SnapshotContent['tasks'][number],
    'name' | 'description' | 'cronSchedule' | 'timezone' | 'prompt' | 'enabled'
  >[]
  messages: MessageLine[]
  /** The files of its workspace, which are not unpacked. */
  files: PackedFile[]
}

/** The tolerance for timestamps in the future, because clocks differ. */
const dayMs = 86_400_000

/**
 * Parses an archive.
 * @throws PlatformError 413 beyond the limits, 400 with the faulty file for an invalid archive
 */
export async function readArchive(zip: Uint8Array, now = Date.now()): Promise<Archived> {
  const { unpackedBytes, entries } = archiveBounds
  const large = { folder: paths.files, bytes: unpackedBytes, entries: fileBounds.entries }
  return parseArchive(
    await unpack(zip, { bytes: unpackedBytes, entries, takes: isPath, large }),
    now,
  )
}

/** Parses the unpacked texts of an archive. @throws as readArchive */
export function parseArchive({ files, large }: Unpacked, now = Date.now()): Archived {
  const text = (path: string) => textOf(path, files.get(path))
  const { name, model, plan, aiProvider, config } = readAgent(text)
  return {
    agent: { name, model, plan, aiProvider, config },
    policy: readPolicy(text(paths.policy)),
    notes: readNotes(files),
    skills: readSkills(text(paths.skills)),
    tasks: readSchedules(text(paths.schedules)),
    messages: readMessages(text(paths.conversations), now),
    files: large,
  }
}

function readAgent(text: (path: string) => string | undefined) {
  const agentText = text(paths.agent)
  if (agentText === undefined) throw wrong(paths.agent, 'it is missing')
  const agent = parsed(paths.agent, agentFile(), jsonOf(paths.agent, agentText))
  const systemPrompt = text(paths.prompt)
  if (systemPrompt === undefined) return { ...agent, config: present(agent.config) }
  const config = { ...agent.config, systemPrompt }
  const whole = parsed(paths.prompt, agentFile().shape.config, config)
  return { ...agent, config: present(whole) }
}

/** Removes null values, which mean that a value is absent. */
function present(config: Record<string, unknown>): AgentConfig {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== null && value !== undefined),
  )
}

function readNotes(files: ReadonlyMap<string, Uint8Array>): Archived['notes'] {
  const notes: Archived['notes'] = []
  for (const [path, bytes] of files) {
    const key = noteKeyOf(path)
    if (key === undefined) continue
    const text = decode(path, bytes, { ignoreBOM: true })
    if (text.length > longestNote) throw wrong(path, `it has more than ${longestNote} characters`)
    notes.push({ key, text })
  }
  const keys = new Set(notes.map(({ key }) => key))
  if (keys.size < notes.length) throw wrong('memory', 'two of its files have the same key')
  const characters = notes.reduce((sum, { text }) => sum + text.length, 0)
  if (notes.length > memoryLimits.notes) throw full('notes')
  if (characters > memoryLimits.characters) throw full('characters')
  return notes
}

function readPolicy(text: string | undefined): Archived['policy'] {
  return text === undefined
    ? undefined
    : parsed(paths.policy, policyChange(), jsonOf(paths.policy, text))
}

function readSkills(text = '[]'): Archived['skills'] {
  const skills = parsed(paths.skills, skillsFile(), jsonOf(paths.skills, text))
  const ids = new Set(skills.map(({ id }) => id))
  if (ids.size < skills.length) throw wrong(paths.skills, 'a skill occurs twice')
  return skills.map(({ id: skillId, enabled }) => {
    if (findSkill(skillId) === undefined)
      throw wrong(paths.skills, `the catalogue has no skill ${JSON.stringify(skillId)}`)
    return { skillId, enabled }
  })
}

function readSchedules(text = '[]'): Archived['tasks'] {
  const tasks = parsed(paths.schedules, schedulesFile(), jsonOf(paths.schedules, text))
  if (tasks.length > taskLimit)
    throw wrong(paths.schedules, `it has more than ${taskLimit} schedules`)
  return tasks.map((task) => {
    // The schema requires the id of an agent, which does not exist yet.
    const { agentId: _, ...rest } = parsed(paths.schedules, newTask, { ...task, agentId: 'agt' })
    return rest
  })
}

function readMessages(text = '', now: number): MessageLine[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length > archiveBounds.messages)
    throw wrong(paths.conversations, `it has more than ${archiveBounds.messages} messages`)
  const latest = now + dayMs
  return lines.map((line, i) => {
    const place = `${paths.conversations}, line ${i + 1}`
    const message = parsed(place, messageLine(), jsonOf(place, line))
    const at = Date.parse(message.timestamp)
    if (!(at >= 0 && at <= latest))
      throw wrong(place, 'its timestamp is before 1970 or in the future')
    return message
  })
}

function textOf(path: string, bytes: Uint8Array | undefined): string | undefined {
  return bytes && decode(path, bytes)
}

function decode(path: string, bytes: Uint8Array, options: { ignoreBOM?: true } = {}): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ...options }).decode(bytes)
  } catch (cause) {
    throw wrong(path, 'it is not UTF-8', cause)
  }
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw wrong(path, 'it is not JSON', cause)
  }
}

function parsed<S extends z.ZodType>(path: string, schema: S, value: unknown): z.output<S> {
  try {
    return parseInput(schema, value)
  } catch (error) {
    throw error instanceof PlatformError ? wrong(path, error.message, error) : error
  }
}

function wrong(path: string, why: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-request', `${path}: ${why}`, { cause })
}

function full(what: keyof typeof memoryLimits): PlatformError {
  const limit = memoryLimits[what]
  return new PlatformError(
    'bad-request',
    `memory: the memory of an agent can have at most ${limit} ${what}`,
    {
      code: 'MEMORY_FULL',
      details: { limit },
    },
  )
}
