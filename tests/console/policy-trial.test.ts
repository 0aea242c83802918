import type { BrowserContext } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { requireAgent } from '#shared/agents/record/find.ts'
import { park } from '#shared/permits/approvals/park.ts'
import type { Policy, Rule } from '#shared/permits/policy/policy.ts'
import { createLog } from '#shared/platform/log.ts'
import { beginRecord } from '#shared/tools/broker/record.ts'
import { sharedTable } from '../support/stack/platform.ts'
import { findings } from './support/axe.ts'
import { closeBrowser } from './support/browser.ts'
import { button, choose, field, policyTab, save, words } from './support/policy.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const deny = (host: string): Rule => ({ action: 'broker.request', match: { host }, then: 'deny' })

test('the records of the last days are decided by the rules on the page, saved or not', async () => {
  const { page, userId, id, stored } = await policyTab()
  const table = sharedTable()
  const ref = { agentId: id, userId }
  for (const method of ['GET', 'POST']) {
    const record = beginRecord({ table, log: createLog() }, ref, {
      name: 'crm',
      method,
      host: 'api.example.com',
    })
    record.answered(200, 2)
    await record.end()
  }
  await page.reload()
  const trial = page.getByRole('region', { name: 'What the last 7 days would have met' })
  const counts = async () => (await trial.getByRole('definition').allInnerTexts()).map(Number)
  await expect.poll(counts, wait).toEqual([2, 0, 0])
  await page.getByRole('radio', { name: 'locked' }).check()
  await expect.poll(counts, wait).toEqual([1, 0, 1])
  await button(page, 'Add rule').click()
  await field(page, 'Host').fill('*.example.com')
  await field(page, 'Times a day').fill('1')
  await button(page, 'Add rule').click()
  await expect.poll(counts, wait).toEqual([0, 1, 1])
  const rows = trial.getByRole('row')
  expect(await rows.nth(1).innerText()).toMatch(/crm POST api\.example\.com\s+denied\s+locked/)
  expect(await rows.nth(2).innerText()).toMatch(/crm GET api\.example\.com\s+asked\s+rule 1/)
  expect(await findings(page)).toEqual([])
  await choose(page, 'Show', 'asked')
  await expect.poll(() => rows.count(), wait).toBe(2)
  await choose(page, 'Show', 'allowed')
  await trial.getByText('No matching records.').waitFor()
  await page.getByRole('radio', { name: '30 days' }).check()
  await page.getByRole('heading', { name: 'What the last 30 days would have met' }).waitFor()
  expect(await stored()).toEqual({ preset: 'open', rules: [] })
  await button(page, 'Discard changes').click()
  expect(await page.getByRole('radio', { name: 'open' }).isChecked()).toBe(true)
})

test('an approval that is remembered always is a rule on the page, and is deleted there', async () => {
  const { page, context, userId, id, stored } = await policyTab({ preset: 'guarded', rules: [] })
  const table = sharedTable()
  const { approvalId } = await park(
    { table },
    {
      agent: await requireAgent({ table }, { agentId: id, owner: userId }),
      effect: {
        action: 'message.send',
        target: { to: 'agt_other', action: 'ask' },
      },
      session: 'default',
      summary: 'A message',
      request: { json: {} },
    },
  )
  await remember(context, approvalId)
  // The page shows it without a reload.
  await expect
    .poll(async () => (await words(page))[0], wait)
    .toMatch(/^1\. Deny messages to other agents .*"agt_other".*"ask"/)
  await button(page, 'Delete rule 1').click()
  await save(page).click()
  await expect.poll(stored, wait).toEqual({ preset: 'guarded', rules: [] })
})

async function remember(context: BrowserContext, approvalId: string) {
  const answer = await context.request.post(`/api/approvals/${approvalId}`, {
    data: { decision: 'deny', remember: 'always' },
  })
  expect(answer.status()).toBe(200)
}

test('a refusal is reported, keeps the changes, and payments have a hint about keys', async () => {
  const { page, path, stored } = await policyTab({ preset: 'locked', rules: [deny('a.b')] })
  let isRefused = true
  await page.route(`**${path}`, (route) =>
    isRefused && route.request().method() === 'PUT'
      ? route.fulfill({
          status: 403,
          json: {
            error: 'The API key lacks the scope money',
            code: 'SCOPE_REQUIRED',
            scope: 'money',
          },
        })
      : route.continue(),
  )
  await button(page, 'Delete rule 1').click()
  await page.getByText('not saved yet').waitFor()
  expect(await page.getByText('needs the scope money').count()).toBe(0)
  await page.getByRole('radio', { name: 'guarded' }).check()
  await page.getByText('needs the scope money').waitFor()
  await save(page).click()
  await page.getByRole('alert').getByText('lacks the scope money').waitFor()
  expect(await page.getByRole('radio', { name: 'guarded' }).isChecked()).toBe(true)
  isRefused = false
  await save(page).click()
  await expect.poll(stored, wait).toEqual({ preset: 'guarded', rules: [] })
  await expect.poll(() => page.getByRole('alert').count(), wait).toBe(0)
})

test('a change from elsewhere is not overwritten silently', async () => {
  const { page, put, stored } = await policyTab({ preset: 'open', rules: [deny('a.b')] })
  const theirs: Policy = { preset: 'locked', rules: [deny('c.d')] }
  await page.getByRole('radio', { name: 'guarded' }).check()
  await put(theirs)
  await save(page).click()
  await page.getByText('The policy was changed elsewhere.').first().waitFor()
  expect(await stored()).toEqual(theirs)
  await button(page, 'Discard changes').click()
  await expect.poll(async () => (await words(page))[0], wait).toContain('"c.d"')
  expect(await page.getByRole('radio', { name: 'locked' }).isChecked()).toBe(true)

  await put({ preset: 'locked', rules: [] })
  await expect.poll(async () => (await words(page)).length, wait).toBe(1)
  await page.getByRole('radio', { name: 'guarded' }).check()
  await put(theirs)
  // The page finds it by itself.
  await page.getByRole('status').getByText('The policy was changed elsewhere.').waitFor()
  await save(page).click()
  await expect.poll(stored, wait).toEqual({ preset: 'guarded', rules: [] })
})

test('without its words, a rule is shown as it is stored, and can be deleted', async () => {
  const { page, path } = await policyTab({ preset: 'open', rules: [deny('a.b')] })
  let fails = true
  await page.route(`**${path}/test`, (route) =>
    fails ? route.fulfill({ status: 500, json: {} }) : route.continue(),
  )
  await page.reload()
  await page.getByRole('alert').getByText('could not answer').waitFor()
  expect(await words(page)).toContain(
    '1. {"action":"broker.request","match":{"host":"a.b"},"then":"deny"}',
  )
  fails = false
  await button(page, 'Try again').click()
  await expect.poll(async () => (await words(page))[0], wait).toContain('Deny requests')
  expect(await page.getByRole('alert').count()).toBe(0)
})
