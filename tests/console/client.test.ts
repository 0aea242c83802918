import { afterAll, test } from 'vitest'
import { expectSeen, scenarioBundle, type Seen } from '../support/programs/built-client/bundle.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

test('the built client lists, streams, follows a log and reports errors, with the page’s own cookie', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const agentId = await agentOf(context, 'Rhythm')
  // The page's policy allows only scripts of its own origin.
  const body = await scenarioBundle('export { seenBy }')
  await page.route('**/assets/client.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body }),
  )
  await page.goto('/dashboard')
  const observed = await page.evaluate(
    `import('/assets/client.js').then(({ seenBy }) => seenBy({}, ${JSON.stringify(agentId)}))`,
  )
  expectSeen(observed as Seen, agentId)
})
