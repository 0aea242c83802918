import ignore, { type Ignore } from 'ignore'
import { PlatformError } from '../../platform/errors.ts'
import type { Directory } from '../../platform/folder/directory.ts'
import { nameOf } from '../../platform/folder/names.ts'
import { readSmall } from './work-file.ts'

/** The rules of each folder down to one, the root's first; those below win. */
export type IgnoreRules = readonly { folder: string; rules: Ignore }[]

/** Those of `.git/info/exclude`. A file elsewhere that the configuration names is not read. */
export async function repositoryRules(root: Directory): Promise<IgnoreRules> {
  try {
    await using git = await root.open('.git')
    await using info = await git.open('info')
    return await withFile([], info, 'exclude', '')
  } catch (error) {
    if (error instanceof Error && error.name === 'PathError') return []
    throw error
  }
}

/** The rules in a folder, with those of the folders above it. @param path of the folder, with a slash behind it, or empty */
export async function rulesIn(
  above: IgnoreRules,
  folder: Directory,
  path: string,
): Promise<IgnoreRules> {
  return withFile(above, folder, '.gitignore', path)
}

/**
 * Rules are matched by regular expressions, whose time on a name made for it grows by its length once more with each
 * star: three take milliseconds, eight take hours.
 */
export const mostStars = 3

/** True for a pattern of a rule or an attribute that could take too long to match. */
export function hasTooManyStars(pattern: string): boolean {
  const segments = pattern.split('/')
  const stars = (segment: string) => segment.split('*').length - 1
  return (
    segments.filter((segment) => segment === '**').length > mostStars ||
    segments.some((segment) => segment !== '**' && stars(segment) > mostStars)
  )
}

/** @throws PlatformError 500 for a rule that is not matched here; left out silently, what it ignores would be committed */
async function withFile(above: IgnoreRules, folder: Directory, name: string, path: string) {
  const text = await readSmall(folder, name)
  if (text === undefined) return above
  const rules = nameOf(text)
  const line =
    rules.split('\n').findIndex((rule) => !rule.startsWith('#') && hasTooManyStars(rule)) + 1
  if (line > 0)
    throw new PlatformError(
      'internal',
      `Line ${line} of ${path}${name} has over ${mostStars} stars, which would take too long to match`,
    )
  return [...above, { folder: path, rules: ignore().add(rules) }]
}

/** Whether the rules leave a path out. @param path with a slash behind it for a folder */
export function isIgnored(rules: IgnoreRules, path: string): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(path.slice(folder.length))
    if (ignored || unignored) return ignored
  }
  return false
}
