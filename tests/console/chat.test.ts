import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { storeTurn } from '../support/conversations/stored-turns.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser, visit, type Visit } from './support/browser.ts'
import { agentOf, runningAgentOf, subscribed } from './support/people.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' })
const answers = (page: Page) => log(page).locator('[data-from=agent]')

async function say(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

async function chat(window: Parameters<typeof visit>[0] = {}) {
  const visited = await visit(window)
  await subscribed(visited.context)
  const id = await runningAgentOf(visited.context, 'Rhythm')
  await visited.page.goto(`/agents/${id}/chat`)
  return { ...visited, id }
}

/** Distinct words; the stand-in model repeats them one by one. */
const words = Array.from({ length: 2500 }, (_, i) => `w${i}`)

/** Returns the number of words of an answer, if each appears once and in its place. */
function counted(text: string): number {
  const came = [...text.matchAll(/\bw(\d+)\b/g)].map(([, number]) => Number(number))
  const stray = came.findIndex((number, i) => number !== i)
  if (stray >= 0) throw new Error(`word ${stray} is followed by ${came.slice(stray, stray + 3)}`)
  return came.length
}

async function begun(page: Page) {
  await say(page, words.join(' '))
  await expect.poll(() => answers(page).count(), wait).toBe(1)
}

async function whole(page: Page) {
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await expect.poll(async () => counted(await answers(page).innerText()), wait).toBe(words.length)
}

/** Returns the stored messages of the conversation. */
async function kept({ context }: Visit, id: string) {
  const answer = await context.request.get(`/api/chat?agentId=${id}`)
  const { messages } = (await answer.json()) as { messages: { sender: string; content: string }[] }
  return messages
}

describe('a turn in progress shows each word once, and is sent once', () => {
  test('a turn in progress shows each word once, and is sent once, after a reload', async () => {
    const visited = await chat()
    await begun(visited.page)
    await visited.page.reload()
    await whole(visited.page)
    expect((await kept(visited, visited.id)).map(({ sender }) => sender)).toEqual(['user', 'agent'])
  })

  test('a turn in progress shows each word once, and is sent once, in another tab, and after leaving and returning', async () => {
    const visited = await chat()
    const { page, context, id } = visited
    const other = await context.newPage()
    await other.goto(`/agents/${id}/chat`)
    await log(other).getByText('No messages yet').waitFor()
    await begun(page)
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('tab', { name: 'Chat' }).click()
    await whole(page)
    await whole(other)
    expect(await kept(visited, id)).toHaveLength(2)
  })

  test('a turn in progress shows each word once, and is sent once, after an interrupted connection, before or after its first word', async () => {
    const visited = await chat()
    const { page, context, id } = visited
    // The request arrives, but its response is lost.
    await page.route('**/api/chat', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await context.request.post('/api/chat', { data: route.request().postDataJSON() })
      await route.abort('connectionreset')
    })
    await say(page, words.join(' '))
    await whole(page)
    expect(await kept(visited, id)).toHaveLength(2)
  })
})

test('a button loads messages before the last hundred, and the scroll position stays', async () => {
  const { page, context } = await visit()
  const { id: userId } = await subscribed(context)
  const agentId = await runningAgentOf(context, 'Rhythm')
  const turns = 120
  const began = Date.now() - turns * 1000
  async function keep(from: number, to: number) {
    for (let n = from; n <= to; n++)
      await storeTurn(sharedTable(), userId, {
        agentId,
        message: `Question ${n}`,
        at: began + n * 1000,
        answer: { afterMs: 1 },
      })
  }
  await keep(1, 10)
  const request = log(page).locator('[data-from=user]')
  const shown = async () =>
    (await request.allInnerTexts()).map((text) => Number(/\d+/.exec(text)?.[0]))
  const upFrom = (first: number, last = turns) =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i)
  await page.goto(`/agents/${agentId}/chat`)
  await expect.poll(shown, wait).toEqual(upFrom(1, 10))
  // Another tab adds more messages than one page of the history holds.
  await keep(11, turns)
  await page.evaluate(`new BroadcastChannel('chat').postMessage('over')`)
  await expect.poll(shown, wait).toEqual(upFrom(71))
  const earlier = page.getByRole('button', { name: 'Earlier messages' })
  await earlier.scrollIntoViewIfNeeded()
  const observed = request.filter({ hasText: 'Question 71' })
  const top = async () => Math.round((await observed.boundingBox())?.y ?? 0)
  const before = await top()
  await earlier.click()
  await expect.poll(shown, wait).toEqual(upFrom(21))
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(2)
  await earlier.click()
  await expect.poll(shown, wait).toEqual(upFrom(1))
  await expect.poll(() => earlier.count(), wait).toBe(0)
  expect(await findings(page)).toEqual([])
  // A new message leaves the rest of the conversation in place.
  await say(page, 'And now?')
  await expect.poll(() => request.count(), wait).toBe(turns + 1)
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await expect.poll(() => answers(page).count(), wait).toBe(turns + 1)
})

test('Stop answering keeps the text, and the next message is its own turn', async () => {
  const visited = await chat()
  const { page, id } = visited
  await begun(page)
  await expect.poll(async () => counted(await answers(page).innerText()), wait).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Stop answering' }).click()
  await log(page).getByText('Stopped').waitFor()
  const came = counted(await answers(page).innerText())
  expect(came).toBeLessThan(words.length)
  await page.reload()
  await log(page).getByText('Stopped').waitFor()
  expect(counted(await answers(page).innerText())).toBe(came)
  expect(await kept(visited, id)).toEqual([
    expect.objectContaining({ sender: 'user' }),
    expect.objectContaining({ sender: 'agent', cancelled: true }),
  ])
  await say(page, 'And now?')
  await expect.poll(() => answers(page).last().innerText(), wait).toContain('You said: And now?')
})

test('the position of a reader who has scrolled up stays during a stream', async () => {
  const { page } = await chat()
  await begun(page)
  const place = () => log(page).evaluate(({ scrollTop }) => scrollTop)
  await expect.poll(place, wait).toBeGreaterThan(400)
  await log(page).evaluate((element) => element.scrollTo({ top: 50, behavior: 'instant' }))
  await page.getByRole('button', { name: 'Latest' }).waitFor()
  const inView = async () => (await answers(page).boundingBox())?.y
  const before = await inView()
  await whole(page)
  // The whole answer replaces the streamed one, so for a moment there is no element to measure.
  await expect.poll(inView, wait).toBeCloseTo(before ?? 0, 0)
  expect(await place()).toBe(50)
  await page.getByRole('button', { name: 'Latest' }).click()
  await expect.poll(place, wait).toBeGreaterThan(1000)
})

test('markdown is rendered, HTML is text, links lead only to the web, pictures are not loaded', async () => {
  const { page } = await chat()
  await say(
    page,
    'Hello\n\n**bold** <img src=x onerror=alert(1)> [page](https://example.com/a) [bad](javascript:alert(1)) ' +
      '![picture](https://example.com/x.png) &amp;\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1\n```',
  )
  await page.getByRole('button', { name: 'Copy answer' }).waitFor()
  const answer = answers(page)
  expect(await answer.locator('strong').innerText()).toBe('bold')
  expect(await answer.locator('img').count()).toBe(0)
  expect(await answer.innerText()).toContain('<img src=x onerror=alert(1)>')
  const links = answer.getByRole('link')
  expect(await links.allInnerTexts()).toEqual(['page', 'picture'])
  expect(await links.first().getAttribute('href')).toBe('https://example.com/a')
  expect(await answer.getByRole('cell').allInnerTexts()).toEqual(['1', '2'])
  expect(await answer.locator('pre').innerText()).toBe('let x = 1')
  await expect.poll(() => log(page).innerText(), wait).toMatch(/local\/echo\s+\d+ tokens/)
})

test('each conversation is separate', async () => {
  const { page } = await chat()
  await say(page, 'Of everything')
  await page.getByRole('button', { name: 'Copy answer' }).waitFor()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('textbox', { name: 'Conversation name' }).fill('The sea 🌊')
  await page.keyboard.press('Enter')
  await log(page).getByText('No messages yet').waitFor()
  await say(page, 'Of the sea')
  await page.getByRole('button', { name: 'Copy answer' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Copy answer' }).waitFor()
  expect(await log(page).innerText()).not.toContain('Of everything')
  await page.getByRole('combobox', { name: 'Conversation' }).selectOption('default')
  await log(page).getByText('Of everything').first().waitFor()
  expect(await log(page).innerText()).not.toContain('Of the sea')
})

test('a message to a starting agent is delivered once it runs', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
  await page.goto(`/agents/${id}/chat`)
  await say(page, 'Good morning')
  await expect.poll(() => answers(page).innerText(), wait).toContain('You said: Good morning')
})

test('an error is shown in words, and retried by its button', async () => {
  const { page } = await chat()
  let refused = 0
  await page.route('**/api/chat', async (route) => {
    if (route.request().method() !== 'POST' || refused++ > 0) return route.continue()
    await route.fulfill({
      status: 429,
      json: { error: 'The agent’s cap is reached', code: 'SPEND_CAP_REACHED' },
    })
  })
  await say(page, 'Once more')
  expect(await page.getByRole('alert').innerText()).toContain('cap is reached')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => answers(page).innerText(), wait).toContain('You said: Once more')
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('an agent that sleeps shows the progress of its start', async () => {
  const { page, context } = await visit()
  await subscribed(context)
  const id = await runningAgentOf(context, 'Rhythm')
  let status = 'stopped'
  await page.route(`**/api/agents/${id}`, async (route) => {
    const { agent } = (await (await route.fetch()).json()) as { agent: object }
    const at = new Date().toISOString()
    const stopReason = { code: 'Asleep', exitCode: null, text: 'It slept', at }
    const observed = status === 'running' ? {} : { status, stopReason }
    await route.fulfill({ json: { agent: { ...agent, ...observed } } })
  })
  let wake = () => {}
  const awake = new Promise<void>((resolve) => {
    wake = resolve
  })
  await page.route('**/api/chat', async (route) => {
    if (route.request().method() === 'POST') await awake
    await route.continue()
  })
  await page.goto(`/agents/${id}/chat`)
  await log(page).getByText('It wakes up when you send a message').waitFor()
  await say(page, 'Good morning')
  const progress = log(page).getByRole('progressbar', { name: 'Progress until the answer' })
  await expect.poll(() => progress.getAttribute('value'), wait).toBe('1')
  expect(await findings(page)).toEqual([])
  status = 'provisioning'
  await expect.poll(() => progress.getAttribute('value'), wait).toBe('2')
  status = 'running'
  wake()
  await expect.poll(() => answers(page).innerText(), wait).toContain('You said: Good morning')
  await expect.poll(() => progress.count(), wait).toBe(0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
