import { addLine, camel, capital, type Draft, kebab } from './draft.ts'

export function screen([noun = '', title = '']: readonly string[]): Draft | undefined {
  if (!kebab.test(noun) || !/^[^'<>{}]+$/.test(title)) return undefined
  const file = `console/screens/${noun}/${noun}.tsx`
  const test = `tests/console/${noun}.test.ts`
  return {
    files: { [file]: component(noun, title), [test]: testOf(noun) },
    edits: {
      'console/app/routes.ts': addLine(
        ['const routes: readonly Route[] = ['],
        route(noun, title),
        'last',
      ),
      'shared/manifest/console.ts': addLine(
        ['export const consolePaths = ['],
        `'/${noun}',`,
        'last',
      ),
      'tests/console/support/pages.ts': addLine(
        ['export const pagesInside ='],
        `{ path: '/${noun}', h1: '${title}', shows: name },`,
        'last',
      ),
    },
    next: [
      'write the promise into docs/contract.md, 14',
      `load and show the screen’s data in ${file}, and list its first requests in \`first\` of console/app/routes.ts, exactly as the client sends them`,
      'change `shows` in the line of tests/console/support/pages.ts to a text that appears only with the data',
      'if the console does not use the resource of the client yet: a line of console/base/platform.ts',
      'for a page in the navigation and the command menu: a line of console/app/places.ts, and the pictures of docs/use/console.md',
      `test what it does: npm run test:console -- ${test} tests/console/pages.test.ts tests/console/failures.test.ts`,
      'npm run infra -- tests/infra/console.test.ts',
      'npm run build && npm run budgets -- console',
      'add it to the table in docs/use/console.md, and a line to CHANGELOG.md',
    ],
  }
}

function component(noun: string, title: string): string {
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

function route(noun: string, title: string): string {
  return `{
  pattern: '/${noun}',
  title: '${title}',
  for: 'signed-in',
  load: () => import('../screens/${noun}/${noun}.tsx'),
  first: () => ['/api/agents'],
},`
}

function testOf(noun: string): string {
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
