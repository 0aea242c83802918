import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** @throws Error where there is no Chromium */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error('this benchmark needs Chromium: `apt-get install -y chromium`')
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
}

/** A window of its own with nothing in its cache. @param state who is signed in */
export async function openWindow(
  browser: Browser,
  baseURL: string,
  state?: Awaited<ReturnType<BrowserContext['storageState']>>,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL,
    // Headless Chromium calls itself a program, which registering refuses.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
    viewport: { width: 1280, height: 900 },
    ...(state !== undefined && { storageState: state }),
  })
  context.setDefaultTimeout(120_000)
  return context
}
