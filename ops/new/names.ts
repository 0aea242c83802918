import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { camel, capital, place } from './draft.ts'

/** The names of a noun with rows of users, in the forms that its files need. */
export interface Names {
  /** `<district>/<noun>`. */
  path: string
  district: string
  /** `reading-lists`, also its path below `/api` and the name of its group. */
  noun: string
  /** `reading lists`, also its tag. */
  many: string
  /** `reading list`. */
  one: string
  /** `readingLists`. */
  plural: string
  /** `readingList`. */
  single: string
  /** `ReadingList`. */
  type: string
  /** The error code of a reached limit. */
  code: string
  /** The prefix of its ids. */
  id: string
  /** The maximum number of rows of a user. */
  limit: number
}

/**
 * Returns the names, and the words that are no option.
 * @param words `<district>/<noun> … --limit <number> [--one "<name of one>"]`
 * @returns undefined for words that it cannot use
 * @throws Error for a name that another noun has
 */
export function namesOf(
  root: string,
  words: readonly string[],
): { names: Names; others: string[] } | undefined {
  const given = optionsOf(words)
  const [path = '', ...others] = given?.positionals ?? []
  const [, district = '', noun = ''] = place.exec(path) ?? []
  const limit = Number(given?.values.limit)
  const many = noun.replaceAll('-', ' ')
  const one = given?.values.one ?? singular(many)
  if (noun === '' || !Number.isInteger(limit) || limit < 1 || !/^[a-z]+( [a-z]+)*$/.test(one))
    return undefined
  if (one === many)
    throw new Error(`${noun} is not a plural: name one of them with --one "<name of one>"`)
  const single = camel(one)
  const type = capital(single)
  if (schemasOf(root).has(type)) throw new Error(`the API already has a schema ${type}`)
  const code = `${one.replaceAll(' ', '_').toUpperCase()}_LIMIT_REACHED`
  const id = idOf(root, one)
  const plural = camel(noun)
  return {
    names: { path, district, noun, many, one, plural, single, type, code, id, limit },
    others,
  }
}

/** Returns the singular of a regular plural. */
export function singular(words: string): string {
  return words
    .replace(/ies$/, 'y')
    .replace(/(?<=ss|x|ch|sh)es$/, '')
    .replace(/(?<!s)s$/, '')
}

function optionsOf(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: { limit: { type: 'string' }, one: { type: 'string' } },
      allowPositionals: true,
    })
  } catch {
    return undefined
  }
}

function schemasOf(root: string): Set<string> {
  const path = join(root, 'docs/api/web.json')
  if (!existsSync(path)) return new Set()
  const { components } = JSON.parse(readFileSync(path, 'utf8')) as {
    components: { schemas: Record<string, unknown> }
  }
  return new Set(Object.keys(components.schemas))
}

/** Returns three letters of a name, with its first one, that are no prefix of ids yet. */
function idOf(root: string, one: string): string {
  const paths = ['shared/manifest/ids.ts', ...globSync('shared/**/rows.ts', { cwd: root })]
  const texts = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
  const taken = new Set([...texts.matchAll(/: '([a-z]+)'/g)].map(([, prefix]) => prefix))
  const [first = '', ...rest] = one.replaceAll(' ', '')
  const letters = [...rest.filter((each) => !/[aeiou]/.test(each)), ...rest]
  const ids = letters.flatMap((second, i) =>
    letters.slice(i + 1).map((third) => first + second + third),
  )
  const id = ids.find((each) => !taken.has(each))
  if (id === undefined) throw new Error(`no prefix of ids for ${one} is free`)
  return id
}

/** Returns a noun with its article. */
export function an(one: string): string {
  return `${/^(?!uni|use)[aeiou]/.test(one) ? 'an' : 'a'} ${one}`
}
