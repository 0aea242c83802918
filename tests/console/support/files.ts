import { Buffer } from 'node:buffer'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { visit } from './browser.ts'
import { agentOf, subscribed } from './people.ts'

/** Opens the files of a new agent that does not run. */
export async function openFiles(
  existing: Record<string, string> = {},
  { path = '', width = 1280 }: { path?: string; width?: number } = {},
) {
  const { page, context } = await visit({ width })
  await subscribed(context)
  const id = await agentOf(context, 'Rhythm')
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
  await expect
    .poll(
      async () => {
        const answer = await context.request.put(contentPath(id, path), { data: text, headers })
        // 503 while the agent starts.
        return answer.status() === 503 ? undefined : [answer.status(), await answer.text()]
      },
      { timeout: 60_000 },
    )
    .toEqual([200, expect.any(String)])
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
