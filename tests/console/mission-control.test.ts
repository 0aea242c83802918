import { afterAll, expect, test } from 'vitest'
import { linksOf } from '../../console/screens/mission-control/links.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit } from './support/browser.ts'
import { agentOf, signedUp, subscribed } from './support/people.ts'

afterAll(closeBrowser)

test('a user without an agent gets a link to create one', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.goto('/mission-control')
  await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
  expect(await findings(page)).toEqual([])
})

test('agents, their connections and their last turns are shown, with links', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const [rhythm, blues] = [await agentOf(context, 'Rhythm'), await agentOf(context, 'Blues')]
  await context.request.post('/api/swarms', { data: { name: 'Both', agents: [rhythm, blues] } })
  await expect
    .poll(
      async () => {
        const data = { agentId: rhythm, message: 'What is two and two?' }
        return (await context.request.post('/api/chat', { data })).status()
      },
      { timeout: 60_000, interval: 1000 },
    )
    .toBe(200)
  await page.goto('/mission-control')
  const agents = page.getByRole('list', { name: 'Agents and their links' })
  for (const other of ['Blues', 'Rhythm']) await agents.getByText(`in Both with ${other}`).waitFor()
  await page.getByRole('img', { name: /^Your agents/ }).waitFor()
  const turn = page
    .getByRole('list', { name: 'Last turns' })
    .getByRole('listitem')
    .filter({ hasText: 'What is two and two?' })
  await turn.getByText('completed').waitFor()
  // Usage is recorded after the answer.
  await expect.poll(() => turn.innerText()).toMatch(/local\/echo · \d+ tokens/)
  expect(await turn.getByRole('link', { name: 'Log from this time' }).getAttribute('href')).toMatch(
    new RegExp(`^/agents/${rhythm}/logs\\?since=\\d{4}-`),
  )
  expect(await findings(page)).toEqual([])
  await turn.getByRole('link', { name: 'Log from this time' }).click()
  const log = page.getByRole('log', { name: 'Log' })
  await log.waitFor()
  await page.goBack()
  await agents.getByRole('link', { name: 'Blues' }).press('Enter')
  await page.waitForURL(`**/agents/${blues}`)
})

test('an unreadable fleet is reported', async () => {
  const { page, context } = await visit()
  await signedUp(context)
  await page.route('**/api/mission-control/**', (route) =>
    route.fulfill({ status: 400, json: { error: 'the fleet is away' } }),
  )
  await page.goto('/mission-control')
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').innerText()).toContain('The fleet is away.')
})

test('edges are messages, clones and a ring through each swarm', () => {
  const node = (id: string, children: ReturnType<typeof leaf>[] = []) => ({ ...leaf(id), children })
  const leaf = (id: string) => ({
    id,
    name: id,
    generation: 0,
    specialization: null,
    status: 'running' as const,
    fitness: null,
    children: [],
  })
  const swarm = (agents: string[]) => ({
    id: 'swm',
    name: 'S',
    description: null,
    agents,
    createdAt: '',
  })
  const links = linksOf({
    graph: {
      nodes: [],
      edges: [{ id: 'e', source: 'a', target: 'b', label: 'BOOKING_REQUEST' }],
      timestamp: '',
    },
    tree: [node('a', [leaf('c')])],
    swarms: [swarm(['a', 'b']), swarm(['a', 'b', 'c']), swarm(['a'])],
  })
  expect(links.map(({ from, to, kind }) => `${kind} ${from}${to}`)).toEqual([
    'message ab',
    'clone ca',
    'swarm ab',
    'swarm ab',
    'swarm bc',
    'swarm ca',
  ])
})
