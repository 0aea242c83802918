import { Buffer } from 'node:buffer'
import type { BrowserContext, Page } from 'playwright-core'
import { visit } from './browser.ts'
import { runningAgentOf, subscribed } from './people.ts'

/** Opens the files of a new agent. */
export async function openFiles(
  existing: Record<string, string> = {},
  { path = '', width = 1280 }: { path?: string; width?: number } = {},
) {
  const { page, context } = await visit({ width })
  await subscribed(context)
  // Changes are refused while an agent starts.
  const id = await runningAgentOf(context, 'Rhythm')
  for (const [name, text] of Object.entries(existing)) await put(context, id, name, text)
  await page.goto(`/agents/${id}/files${path}`)
  await button(page, 'Upload files').waitFor()
  return { page, context, id }
}

/** Returns the address of a file's content. */
export const contentPath = (id: string, path: string) =>
  `/api/agents/${id}/files/content?path=${encodeURIComponent(path)}`

/** Writes a file without the page. */
export async function put(context: BrowserContext, id: string, path: string, text: string) {
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await context.request.put(contentPath(id, path), { data: text, headers })
  if (!answer.ok()) throw new Error(await answer.text())
}

export const textOf = async (context: BrowserContext, id: string, path: string) =>
  (await context.request.get(contentPath(id, path))).text()

/** Returns the row of a file or folder in the list. */
export const row = (page: Page, name: string) =>
  page.locator('.files .list > li').filter({ hasText: name })

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Uploads files as if the user chose them. */
export async function choose(page: Page, files: Record<string, string | Buffer>): Promise<void> {
  const chosen = Object.entries(files).map(([name, content]) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(content),
  }))
  await page.locator('input[type=file]').setInputFiles(chosen)
}
