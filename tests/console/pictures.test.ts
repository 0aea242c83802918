import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { closeBrowser, visit } from './support/browser.ts'
import { fleetOf } from './support/fleet.ts'

afterAll(closeBrowser)

/** The folder for the pictures of docs/use/console.md; if unset, none are taken. */
const { PICTURES: folder } = process.env

test.runIf(folder)('the pictures of the documents are made from the current pages', async () => {
  const { page, context } = await visit({ width: 1200 })
  const [id = ''] = await fleetOf(context)
  for (const [name, path, shows] of [
    ['dashboard', '/dashboard', 'Support desk'],
    ['agent', `/agents/${id}`, 'History'],
    ['chat', `/agents/${id}/chat`, 'Copy answer'],
    ['usage', '/usage?period=30d', 'By agent'],
    ['mission-control', '/mission-control', 'Last turns'],
    ['automation', '/automation', 'Weekly review'],
  ] as const) {
    await page.goto(path)
    await page.getByText(shows).first().waitFor()
    await page.waitForLoadState('networkidle')
    const file = join(folder ?? '', `${name}.png`)
    await page.screenshot({ path: file, animations: 'disabled' })
    expect((await stat(file)).size).toBeLessThan(150_000)
  }
})
