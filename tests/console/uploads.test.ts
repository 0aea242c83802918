import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser } from './support/browser.ts'
import { button, choose, openFiles, put, row, textOf } from './support/files.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

/** The maximum size of a direct upload. */
const directBytes = 4_194_304

test('dropped files go into the current folder, three at the same time', async () => {
  const { page, context, id } = await openFiles({ 'in/old.txt': 'old' }, { path: '?path=in' })
  let [now, most] = [0, 0]
  await page.route(`**/files/content?*`, async (route) => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 200))
    now--
    await route.continue()
  })
  await page.evaluate(`{
    const dataTransfer = new DataTransfer()
    for (let i = 0; i < 8; i++) dataTransfer.items.add(new File(['text ' + i], 'dropped-' + i))
    const options = { dataTransfer, bubbles: true, cancelable: true }
    for (const type of ['dragover', 'drop']) {
      const event = new DragEvent(type, options)
      document.body.dispatchEvent(event)
      if (!event.defaultPrevented) throw new Error(type + ' would leave the page')
    }
  }`)
  await page.getByText('8 files uploaded.').first().waitFor()
  await expect.poll(() => row(page, 'dropped-').count(), wait).toBe(8)
  expect(await textOf(context, id, 'in/dropped-7')).toBe('text 7')
  expect(most).toBe(3)
})

test('an upload continues while another tab is shown, and a folder shows files that others wrote', async () => {
  const { page, context, id } = await openFiles()
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  await page.route('**/files/content?*', async (route) => {
    await promise
    await route.continue()
  })
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    button(page, 'Upload files').press('Enter'),
  ])
  await chooser.setFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }])
  await page.getByRole('progressbar', { name: 'a.txt' }).waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'System prompt' }).waitFor()
  letGo()
  await expect.poll(() => textOf(context, id, 'a.txt'), wait).toBe('x')
  await page.getByRole('tab', { name: 'Files' }).click()
  await row(page, 'a.txt').waitFor()
  await page.getByText('1 file uploaded.').first().waitFor()
  await expect.poll(() => page.getByText('running').count(), wait).toBe(1)
  await put(context, id, 'written-elsewhere.txt', 'y')
  await row(page, 'written-elsewhere.txt').waitFor()
})

test('an upload does not replace a file unless the user says so', async () => {
  const { page, context, id } = await openFiles({ 'a.txt': 'old' })
  await choose(page, { 'a.txt': 'new' })
  await page.getByText('A file with this name exists.').waitFor()
  expect(await findings(page)).toEqual([])
  expect(await textOf(context, id, 'a.txt')).toBe('old')
  await button(page, 'Replace').click()
  await page.getByText('1 file uploaded.').first().waitFor()
  expect(await textOf(context, id, 'a.txt')).toBe('new')
})

test('an upload of more than 4 MiB uses a link, shows its progress, and replaces only when asked', async () => {
  const { page, context, id } = await openFiles()
  const large = Buffer.alloc(directBytes + 1, 7)
  await choose(page, { 'large.bin': large })
  await page.getByText('Large files are listed within 10 seconds.').first().waitFor()
  await expect.poll(() => row(page, 'large.bin').count(), wait).toBe(1)
  expect(await row(page, 'large.bin').innerText()).toContain('4 MB')
  await button(page, 'Close').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row(page, 'large.bin').getByRole('link', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('large.bin')
  expect((await readFile(await download.path())).equals(large)).toBe(true)
  await choose(page, { 'large.bin': Buffer.alloc(directBytes + 2, 8) })
  await page.getByText('A file with this name exists.').waitFor()
  await button(page, 'Skip').click()
  expect((await textOf(context, id, 'large.bin')).length).toBe(directBytes + 1)
})

test('an upload by a link is cancelled, and another attempt uses the same link', async () => {
  const { page, context, id } = await openFiles()
  let created = 0
  await page.route('**/files/uploads', (route) => {
    created++
    return route.continue()
  })
  let stored = 0
  await page.route(/\/objects\//, () => void stored++)
  const large = { 'large.bin': Buffer.alloc(directBytes + 1, 7) }
  await choose(page, large)
  await page.getByRole('progressbar', { name: 'large.bin' }).waitFor()
  expect(await findings(page)).toEqual([])
  // The page has received the link.
  await expect.poll(() => stored, wait).toBe(1)
  await button(page, 'Cancel').click()
  expect(await page.getByRole('progressbar').count()).toBe(0)
  await page.unroute(/\/objects\//)
  await page.route(/\/objects\//, (route) => route.abort())
  await choose(page, large)
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  await page.unroute(/\/objects\//)
  await button(page, 'Try again').click()
  await expect.poll(() => row(page, 'large.bin').count(), wait).toBe(1)
  expect(created).toBe(1)
  expect((await textOf(context, id, 'large.bin')).length).toBe(directBytes + 1)
})

test.each([
  {
    status: 402,
    json: { error: 'Full', code: 'STORAGE_LIMIT_REACHED', used: 5e9, quota: 5 * 1024 ** 3 },
    says: 'The storage is full: 4.7 GB of 5 GB are used.',
  },
  { status: 409, json: { error: 'A file is in the way' }, says: 'A file is in the way.' },
  {
    status: 409,
    json: { error: 'The agent has 200000 files already', code: 'FILE_LIMIT_REACHED' },
    says: 'The agent has 200000 files already.',
  },
  { status: 503, json: { error: 'Busy' }, says: 'The platform could not answer' },
])(
  'an upload that is refused by $status says why, and can be repeated',
  async ({ status, json, says }) => {
    const { page } = await openFiles()
    await page.route(
      '**/files/content?*',
      (route) => route.fulfill({ status, json, headers: { 'x-should-retry': 'false' } }),
      { times: 1 },
    )
    await choose(page, { 'a.txt': 'x' })
    await page.getByRole('alert').getByText(says).waitFor()
    if (status === 402)
      expect(
        await page.getByRole('link', { name: 'Plan and billing' }).first().getAttribute('href'),
      ).toBe('/billing')
    expect(await findings(page)).toEqual([])
    await button(page, 'Try again').click()
    await row(page, 'a.txt').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  },
)
