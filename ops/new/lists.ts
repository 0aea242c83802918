import { linesOfPage } from './docs.ts'
/** The lists of other files that name a noun with rows of users. */
import { addItem, addLine, capital, chained, type Edit } from './draft.ts'
import type { Names } from './names.ts'
import { withNoun } from './noun.ts'
import { newTag } from './route.ts'
import { rareRow } from './row.ts'

/**
 * @param about its line in the README of its district
 * @param verbs the verbs of its routes
 * @param rowsIn the folder of its rows. Default: its own
 * @param limited the name of the rows that the limit counts. Default: all
 */
export function listsOf(
  names: Names,
  {
    about,
    verbs,
    rowsIn = names.path,
    limited = names.many,
  }: { about: string; verbs: readonly string[]; rowsIn?: string; limited?: string },
): Record<string, Edit> {
  const { noun, many, one, plural, single, code } = names
  const rows = `${single}Rows`
  return {
    ...linesOfPage(names, about),
    'shared/districts.json': (text) => withNoun(text, names, about),
    'shared/http/openapi/tags.ts': newTag(many, capital(about)),
    'shared/http/openapi/codes.ts': addLine(
      ['export const codes = {'],
      `${code}: { kinds: ['conflict'], means: 'The user has the maximum number of ${limited}' },`,
      'last',
    ),
    'tests/table/traffic.ts': rareRow(one),
    'functions/jobs/entitlements.ts': chained(
      importing(`import { ${rows} } from '#shared/${rowsIn}/rows.ts'`),
      addLine(['export const accountDeletionHooks = ['], `${rows},`, 'last'),
    ),
    'console/screens/connect/scope-words.ts': addItem('export const belongings = [', `'${many}'`),
    'clients/typescript/platform.ts': chained(
      importing(`import { ${capital(plural)} } from './resources/${noun}.ts'`),
      (text) => withResource(text, plural),
    ),
    'clients/cli/by-api.ts': chained(
      ...verbs.map((verb) =>
        addLine(["'is set up once, by one body"], `'${plural}.${verb}',`, 'sorted'),
      ),
    ),
  }

  function withResource(text: string, name: string): string {
    const last = /^[^]*\n {2}readonly \w+ = new \w+\(this\.client\)\n/.exec(text)?.[0]
    if (last === undefined) throw new Error('a file has changed: the client has no resources')
    return `${last}  readonly ${name} = new ${capital(name)}(this.client)\n${text.slice(last.length)}`
  }
}

/** Returns an edit that adds an import; the formatter sorts it. */
function importing(line: string): Edit {
  return (text) => text.replace(/^import /m, `${line}\nimport `)
}
