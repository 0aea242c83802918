import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addLine, camel, capital, type Draft, type Edit, kebab } from './draft.ts'
import { consoleResource, type ShownList, shownList } from './screen-list.ts'

/** The list that a screen shows if its words name none. */
const agents = { resource: 'agents', path: '/api/agents' }

/** @param words the path without its slash, the title, then `<resource>.list` and `menu`, both optional */
export function screen(
  [noun = '', title = '', ...more]: readonly string[],
  root: string,
): Draft | undefined {
  if (!kebab.test(noun) || !/^[^'<>{}]+$/.test(title)) return undefined
  const name = more.find((word) => word !== 'menu')
  const list = name === undefined ? undefined : shownList(root, name)
  const inMenu = more.includes('menu')
  const file = `console/screens/${noun}/${noun}.tsx`
  const test = `tests/console/${noun}.test.ts`
  const shows = list === undefined ? 'name' : `'${noneOf(list)}'`
  return {
    files: {
      [file]: list === undefined ? ofAgents(noun, title) : component(noun, title, list),
      [test]: list === undefined ? testOfAgents(noun) : testOf(noun, list),
    },
    edits: {
      'console/app/routes.ts': addLine(
        ['const routes: readonly Route[] = ['],
        route(noun, title, (list ?? agents).path),
        'last',
      ),
      'shared/manifest/console.ts': addLine(
        ['export const consolePaths = ['],
        `'/${noun}',`,
        'last',
      ),
      'tests/console/support/pages.ts': addLine(
        ['export const pagesInside ='],
        `{ path: '/${noun}', h1: '${title}', shows: ${shows} },`,
        'last',
      ),
      ...(list && consoleResource(root, list.resource)),
      ...(inMenu && { 'console/app/places.ts': inPlaces(root, noun, title) }),
    },
    next: [
      'write the promise into docs/contract.md, 14',
      list === undefined
        ? `load and show the screen’s data in ${file}, and list its first requests in \`first\` of console/app/routes.ts, exactly as the client sends them; change \`shows\` in the line of tests/console/support/pages.ts to a text that appears only with the data`
        : `show the data in ${file}; further first requests belong in \`first\` of console/app/routes.ts, exactly as the client sends them`,
      ...(list === undefined
        ? [
            'if the console does not use the resource of the client yet: a line of console/base/platform.ts',
          ]
        : []),
      inMenu
        ? 'the pictures of docs/use/console.md show the navigation: the page says how to take them'
        : 'link it from another page; or for a page in the navigation and the command menu: a line of console/app/places.ts',
      `test what it does: npm run test:console -- ${test} tests/console/pages.test.ts tests/console/failures.test.ts`,
      'npm run infra -- tests/infra/console.test.ts',
      'npm run build && npm run budgets -- console',
      'add it to the table in docs/use/console.md, and a line to CHANGELOG.md',
    ],
  }
}

/** Returns the edit that adds a page to the navigation, with an icon and a letter that are free. */
function inPlaces(root: string, noun: string, title: string): Edit {
  const icons = readFileSync(join(root, 'console/ui/icon.tsx'), 'utf8')
  const names = [...icons.matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, name]) => name)
  return (text) => {
    const icon = names.toReversed().find((name) => !text.includes(`icon: '${name}'`))
    const letters = `${title.toLowerCase()}abcdefghijklmnopqrstuvwxyz`.replaceAll(/[^a-z]/g, '')
    const letter = [...letters].find((each) => !text.includes(`letter: '${each}'`))
    const place = `{ to: '/${noun}', name: '${title}', icon: '${icon}', letter: '${letter}' },`
    return addLine(['const everyones: readonly Place[] = ['], place, 'last')(text)
  }
}

/** Returns `reading lists` of `readingLists`. */
function manyOf({ resource }: ShownList): string {
  return resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** Returns the text of an empty list. */
function noneOf(list: ShownList): string {
  return `No ${manyOf(list)} yet`
}

function component(noun: string, title: string, list: ShownList): string {
  const { resource, takesQuery, field } = list
  const loaded = camel(noun)
  return `import { platform } from '../../base/platform.ts'
import { useLoad } from '../../ui/load.ts'
import { LoadedList } from '../../ui/loaded-list.tsx'
import { Head } from '../../ui/parts.tsx'

/** \`/${noun}\`. */
export default function ${capital(loaded)}() {
  const ${loaded} = useLoad('${noun}', async (signal) => platform.${resource}.list(${takesQuery ? '{}, ' : ''}{ signal }))
  return (
    <>
      <Head title="${title}" />
      <LoadedList of={${loaded}} none="${noneOf(list)}.">
        {({ id${field === 'id' ? '' : `, ${field}`} }) => <li key={id}>{${field}}</li>}
      </LoadedList>
    </>
  )
}
`
}

function ofAgents(noun: string, title: string): string {
  return `import { listAgents } from '../../base/agents.ts'
import { useLoad } from '../../ui/load.ts'
import { LoadedList } from '../../ui/loaded-list.tsx'
import { Head } from '../../ui/parts.tsx'

/** \`/${noun}\`. */
export default function ${capital(camel(noun))}() {
  const agents = useLoad('agents', listAgents)
  return (
    <>
      <Head title="${title}" />
      <LoadedList of={agents}>{({ id, name }) => <li key={id}>{name}</li>}</LoadedList>
    </>
  )
}
`
}

function route(noun: string, title: string, first: string): string {
  return `{
  pattern: '/${noun}',
  title: '${title}',
  for: 'signed-in',
  load: () => import('../screens/${noun}/${noun}.tsx'),
  first: () => ['${first}'],
},`
}

function testOf(noun: string, list: ShownList): string {
  const { path, field, body } = list
  const start = `import { afterAll, expect, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'
import { signedUp } from './support/people.ts'

afterAll(closeBrowser)
`
  if (body === undefined)
    return `${start}
test('an empty list says so', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/${noun}')
  await expect.poll(() => page.getByText('${noneOf(list)}').count()).toBe(1)
})
`
  return `${start}
test('the ${manyOf(list)} of the user are listed', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  const answer = await context.request.post('${path}', { data: ${JSON.stringify(body)} })
  const { ${field} } = (await answer.json()) as { ${field}: string }
  await page.goto('/${noun}')
  const items = page.getByRole('main').getByRole('listitem')
  await expect.poll(() => items.allInnerTexts()).toEqual([${field}])
})
`
}

function testOfAgents(noun: string): string {
  return `import { afterAll, expect, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

test('the agents are listed', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  await agentOf(context, 'Rhythm')
  await page.goto('/${noun}')
  const items = page.getByRole('main').getByRole('listitem')
  await expect.poll(() => items.allInnerTexts()).toEqual(['Rhythm'])
})
`
}
