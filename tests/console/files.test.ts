import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { findings } from './support/axe.ts'
import { closeBrowser } from './support/browser.ts'
import { button, choose, contentPath, openFiles, row, textOf } from './support/files.ts'

afterAll(closeBrowser)

/** Enough for a busy machine. */
const wait = { timeout: 60_000 }

const overflows = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')

const isFocused = (name: string) => `document.activeElement?.textContent === '${name}'`

test('files are uploaded, read, renamed and deleted by the keyboard', async () => {
  const { page, context, id } = await openFiles()
  await page.getByText('even while it is stopped').waitFor()
  expect(await findings(page)).toEqual([])
  await choose(page, { 'one.txt': 'first', 'two.txt': 'second' })
  await row(page, 'two.txt').waitFor()
  await page.getByText('2 files uploaded.').first().waitFor()
  expect(await row(page, 'one.txt').innerText()).toContain('5 bytes')
  expect(await textOf(context, id, 'two.txt')).toBe('second')

  await button(page, 'one.txt').focus()
  await page.keyboard.press('Enter')
  const preview = page.getByRole('dialog', { name: 'one.txt' })
  await preview.getByText('first').waitFor()
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await page.evaluate(isFocused('one.txt'))).toBe(true)

  await row(page, 'one.txt').getByRole('button', { name: 'Rename' }).focus()
  await page.keyboard.press('Enter')
  const path = page.getByRole('textbox', { name: 'New path' })
  await path.fill('two.txt')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Something exists').waitFor()
  await path.fill('notes/2026/one.txt')
  await button(page, 'Rename').last().waitFor()
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await row(page, 'notes').waitFor()
  expect(await textOf(context, id, 'notes/2026/one.txt')).toBe('first')

  const two = row(page, 'two.txt').getByRole('button', { name: 'Delete' })
  await two.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => row(page, 'two.txt').count(), wait).toBe(0)
  await expect.poll(() => page.evaluate(isFocused('Files')), wait).toBe(true)
  expect(await page.getByRole('status').allInnerTexts()).toContain('Deleted two.txt.')
})

test('a folder is opened by its address, and deleted with its content after a question', async () => {
  const { page, context, id } = await openFiles({ 'a & b/c/deep.txt': 'x', 'a & b/top.txt': 'y' })
  await page.getByRole('link', { name: 'a & b' }).click()
  await row(page, 'top.txt').waitFor()
  expect(await page.evaluate(isFocused('a & b'))).toBe(true)
  await page.getByRole('link', { name: 'c (folder)' }).click()
  await row(page, 'deep.txt').waitFor()
  await page.reload()
  await row(page, 'deep.txt').waitFor()
  await page.goBack()
  await row(page, 'top.txt').waitFor()
  await page
    .getByRole('navigation', { name: 'Folder' })
    .getByRole('link', { name: 'Files' })
    .click()
  const folder = row(page, 'a & b')
  await folder.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete a & b?' })
  expect(await dialog.innerText()).toContain('All files and folders in it are deleted too.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await textOf(context, id, 'a & b/c/deep.txt')).toBe('x')
  await folder.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No files yet').waitFor()
  await page.goto(`/agents/${id}/files?path=a%20%26%20b`)
  await page.getByText('This folder does not exist.').waitFor()
  expect(await findings(page)).toEqual([])
})

test('a long folder is shown by pages', async () => {
  const { page, id } = await openFiles()
  const entries = Array.from({ length: 450 }, (_, i) => ({
    name: `file-${i}`,
    path: `file-${i}`,
    type: 'file',
    size: 1,
    modified: new Date().toISOString(),
  }))
  await page.route(`**/api/agents/${id}/files?*`, (route) => {
    const { searchParams } = new URL(route.request().url())
    const from = Number(searchParams.get('cursor') ?? 0)
    const end = from + Number(searchParams.get('limit'))
    const cursor = end < entries.length ? String(end) : null
    return route.fulfill({ json: { entries: entries.slice(from, end), cursor } })
  })
  await page.reload()
  const rows = page.locator('.files .list > li')
  for (const count of [200, 400, 450]) {
    await expect.poll(() => rows.count(), wait).toBe(count)
    if (count < 450) await button(page, 'Load more').click()
  }
  expect(await button(page, 'Load more').count()).toBe(0)
})

describe('a hostile name', () => {
  const names = {
    markup: '<img src=x onerror=alert(1)>.txt',
    reversed: 'photo\u202Egnp.exe',
    long: 'ä'.repeat(127) + 'x',
  }

  test.each([375, 1280])('is shown as it is, and fits into %i pixels', async (width) => {
    const existing = Object.fromEntries(Object.values(names).map((name) => [`in/${name}`, 'x']))
    const deep = `${names.long}/${names.long}/x`
    const { page, id } = await openFiles({ ...existing, [deep]: 'x' }, { path: '?path=in', width })
    await row(page, names.markup).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await row(page, 'photo').innerText()).toContain('photo\\u202egnp.exe')
    expect(await row(page, names.long).count()).toBe(1)
    expect(await overflows(page)).toBe(false)
    expect(await findings(page)).toEqual([])
    for (const name of ['Rename', 'Delete']) {
      await row(page, names.long).getByRole('button', { name }).click()
      const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' })
      await cancel.waitFor()
      expect(await page.evaluate(fits)).toBe(true)
      await cancel.click()
    }
    const to = encodeURIComponent(`${names.long}/${names.long}`)
    await page.goto(`/agents/${id}/files?path=${to}`)
    await row(page, 'x').waitFor()
    expect(await overflows(page)).toBe(false)
  })

  const fits = `(() => {
    const { scrollWidth, clientWidth } = document.querySelector('dialog[open]')
    return scrollWidth <= clientWidth
  })()`
})

describe('a HTML file', () => {
  test('never runs at the console’s address', async () => {
    const evil = '<script>document.title = "ran"</script><h1>ran</h1>'
    const { page, context, id } = await openFiles({ 'evil.html': evil, 'evil.svg': evil })
    for (const name of ['evil.html', 'evil.svg']) {
      await button(page, name).click()
      await page.getByRole('dialog').getByText('<script>').waitFor()
      await button(page, 'Close').click()
      const other = await context.newPage()
      const [download] = await Promise.all([
        other.waitForEvent('download'),
        other.goto(contentPath(id, name)).catch(() => undefined),
      ])
      expect(await download.failure()).toBeNull()
      expect(await other.title()).toBe('')
      await other.close()
    }
    expect(await page.title()).toContain('Files')
  })

  test('is shown as text, with its control characters, unless it is not a text', async () => {
    const { page } = await openFiles({ 'a.txt': 'if (admin\u202E) {}', 'b.bin': 'a\0b' })
    await button(page, 'a.txt').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('if (admin\\u202e) {}').waitFor()
    await button(page, 'Close').click()
    await button(page, 'b.bin').click()
    await dialog.getByText('This file is not a text.').waitFor()
    expect(await dialog.getByRole('region').count()).toBe(0)
  })
})
