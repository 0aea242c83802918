import ignore, { type Ignore } from 'ignore'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Directory } from '#shared/platform/folder/directory.ts'
import { nameOf } from '#shared/platform/folder/names.ts'
import { readSmall } from './work-file.ts'

/** The rules of a folder and all folders above it, from the root. Deeper rules have precedence. */
export type IgnoreRules = readonly { folder: string; rules: Ignore }[]

/** Returns the rules in `.git/info/exclude`. The file in `core.excludesFile` is not read. */
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

/**
 * Returns the rules of a folder and of the folders above it.
 * @param path of the folder with a trailing slash, or empty
 */
export async function rulesIn(
  above: IgnoreRules,
  folder: Directory,
  path: string,
): Promise<IgnoreRules> {
  return withFile(above, folder, '.gitignore', path)
}

/**
 * Rules become regular expressions. On a crafted name, each additional star multiplies the matching time by the name's
 * length: three stars take milliseconds, eight take hours.
 */
const maxStars = 3

/** True for a pattern of a rule or an attribute that could take too long to match. */
export function hasTooManyStars(pattern: string): boolean {
  const segments = pattern.split('/')
  const stars = (segment: string) => segment.split('*').length - 1
  return (
    segments.filter((segment) => segment === '**').length > maxStars ||
    segments.some((segment) => segment !== '**' && stars(segment) > maxStars)
  )
}

/**
 * Adds the rules of a file.
 * @throws PlatformError 500 for an unsupported rule; skipping it would commit files that it ignores
 */
async function withFile(above: IgnoreRules, folder: Directory, name: string, path: string) {
  const text = await readSmall(folder, name)
  if (text === undefined) return above
  const rules = nameOf(text)
  const line =
    rules.split('\n').findIndex((rule) => !rule.startsWith('#') && hasTooManyStars(rule)) + 1
  if (line > 0)
    throw new PlatformError(
      'internal',
      `Line ${line} of ${path}${name} has more than ${maxStars} stars, which would take too long to match`,
    )
  return [...above, { folder: path, rules: ignore().add(rules) }]
}

/**
 * Reports whether the rules ignore a path.
 * @param path with a trailing slash for a folder
 */
export function isIgnored(rules: IgnoreRules, path: string): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(path.slice(folder.length))
    if (ignored || unignored) return ignored
  }
  return false
}
