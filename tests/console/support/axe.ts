import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns a short form of axe's findings on the page, once it has loaded. */
export async function findings(page: Page): Promise<string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.evaluate(axe.source)
  const found: unknown = await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`)
  return found as string[]
}
