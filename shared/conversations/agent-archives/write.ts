import { isDefault } from '#shared/permits/policy/policy.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { SnapshotContent } from '../restore-points/content.ts'
import { archiveBounds } from './bounds.ts'
import { notePaths, paths, skillPath } from './paths.ts'
import { readme } from './readme.ts'
import { archiveFormat, type MessageLine } from './schema.ts'
import { pack } from './zip/pack.ts'

/**
 * Returns a portable content as a ZIP that can be imported. If not all messages fit, it contains the newest ones.
 * @throws PlatformError 413 if the content without messages is too large
 */
export async function writeArchive(content: SnapshotContent): Promise<Buffer<ArrayBuffer>> {
  return (await fitting(content)).zip
}

/** Returns the texts of an archive by path, without the agent's files. @throws as writeArchive */
export async function agentFiles(content: SnapshotContent): Promise<Map<string, string>> {
  return (await fitting(content)).files
}

async function fitting(content: SnapshotContent) {
  const rest = filesOf(content)
  let lines = content.messages.slice(-archiveBounds.messages).map(lineOf)
  for (;;) {
    const files = new Map(rest).set(paths.conversations, lines.join(''))
    if (sizeOf(files) <= archiveBounds.unpackedBytes) {
      const zip = await pack(files)
      if (zip.length <= archiveBounds.packedBytes) return { files, zip }
    }
    if (lines.length === 0)
      throw new PlatformError('payload-too-large', 'The agent’s memory is larger than an archive')
    lines = lines.slice(Math.ceil(lines.length / 2))
  }
}

function filesOf({ agent, notes, skills, tasks, policy }: SnapshotContent): Map<string, string> {
  const { name, model, plan, aiProvider, config: all } = agent
  const { systemPrompt, ...config } = all
  const files = new Map<string, string>([
    [paths.readme, readme(name)],
    [
      paths.agent,
      json({
        format: archiveFormat,
        version: 1,
        name,
        model,
        plan,
        aiProvider,
        config: inOrder(config),
      }),
    ],
    [
      paths.skills,
      json(skills.map(({ skillId: id, version, enabled }) => ({ id, version, enabled }))),
    ],
    [paths.schedules, json(tasks.map(scheduleOf))],
  ])
  if (policy !== undefined && !isDefault(policy)) files.set(paths.policy, json(inOrder(policy)))
  if (typeof systemPrompt === 'string') files.set(paths.prompt, systemPrompt)
  const places = notePaths(notes.map(({ key }) => key))
  for (const { key, text } of notes) files.set(places.get(key) ?? '', text)
  for (const { skillId, document } of skills) files.set(skillPath(skillId), document)
  return files
}

/**
 * Returns the line of a message. It lists each field, because a row may have fields that do not belong in an archive.
 */
function lineOf({ row }: SnapshotContent['messages'][number]): string {
  const { sender, content, timestamp, platform, topic, model } = row
  const { usage, truncated, failedAt, cancelled, reason } = row
  const line: MessageLine = {
    sender,
    content,
    timestamp,
    platform,
    topic,
    model,
    usage,
    truncated,
    failedAt,
    cancelled,
    reason,
  }
  return `${JSON.stringify(line)}\n`
}

function scheduleOf({
  name,
  description,
  cronSchedule,
  timezone,
  prompt,
  enabled,
}: SnapshotContent['tasks'][number]): object {
  return { name, description, cronSchedule, timezone, prompt, enabled }
}

/** Sorts the keys of objects, because the table returns the entries of a map in any order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]))
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function sizeOf(files: ReadonlyMap<string, string>): number {
  return [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
