import { noteName } from '../workspace/memory/schema.ts'

/** The files of an archive that stand beside its folders. */
export const paths = {
  readme: 'README.md',
  agent: 'agent.json',
  prompt: 'system-prompt.md',
  skills: 'skills.json',
  schedules: 'schedules.json',
  conversations: 'conversations.jsonl',
} as const

const all: readonly string[] = Object.values(paths)

/** `~2` tells notes apart whose keys differ in case alone: on many machines they would be one file. No key has a `~`. */
const noteForm = /^memory\/([^/~]+)(?:~[2-9]|~[1-9]\d{1,3})?\.md$/

const skillForm = /^skills\/[\w.-]{1,64}\/SKILL\.md$/

/** Whether an archive may have a file of that path. */
export function isPath(path: string): boolean {
  return all.includes(path) || noteKeyOf(path) !== undefined || skillForm.test(path)
}

/** The path of the text of a skill, which is there to be read. */
export function skillPath(id: string): string {
  return `skills/${id}/SKILL.md`
}

/** The key of the note that is kept at a path; undefined for what is no note. */
export function noteKeyOf(path: string): string | undefined {
  const key = noteForm.exec(path)?.[1]
  return key !== undefined && noteName.test(key) ? key : undefined
}

/** The paths of notes by their keys, each of them one that no file system takes for another. */
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
