import { noteName } from '#shared/agents/workspace/memory/schema.ts'

/** The paths in an archive's top folder. */
export const paths = {
  readme: 'README.md',
  agent: 'agent.json',
  prompt: 'system-prompt.md',
  policy: 'policy.json',
  skills: 'skills.json',
  schedules: 'schedules.json',
  conversations: 'conversations.jsonl',
  files: 'files/',
} as const

const all: readonly string[] = Object.values(paths)

/**
 * `~2` distinguishes notes whose keys differ only in case, because many file systems ignore case. Keys cannot contain
 * `~`.
 */
const noteForm = /^memory\/([^/~]+)(?:~[2-9]|~[1-9]\d{1,3})?\.md$/

const skillForm = /^skills\/[\w.-]{1,64}\/SKILL\.md$/

/** Reports whether an archive may contain the path. */
export function isPath(path: string): boolean {
  return (
    (all.includes(path) && path !== paths.files) ||
    noteKeyOf(path) !== undefined ||
    skillForm.test(path)
  )
}

/** Returns the path of a skill's text, which an import ignores. */
export function skillPath(id: string): string {
  return `skills/${id}/SKILL.md`
}

/** Returns the key of the note at a path, or undefined for other paths. */
export function noteKeyOf(path: string): string | undefined {
  const key = noteForm.exec(path)?.[1]
  return key !== undefined && noteName.test(key) ? key : undefined
}

/** Returns the paths of notes by key. No two paths are equal on a file system that ignores case. */
export function notePaths(keys: readonly string[]): Map<string, string> {
  const seen = new Map<string, number>()
  return new Map(
    keys.map((key) => {
      const folded = key.toLowerCase()
      const times = (seen.get(folded) ?? 0) + 1
      seen.set(folded, times)
      return [key, `memory/${key}${times === 1 ? '' : `~${times}`}.md`]
    }),
  )
}
