import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** @throws Error if Chromium is not installed */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error('this benchmark needs Chromium: `apt-get install -y chromium`')
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
}

/** Opens a window with an empty cache. @param state the session's cookies */
export async function openWindow(
  browser: Browser,
  baseURL: string,
  state?: Awaited<ReturnType<BrowserContext['storageState']>>,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL,
    // Headless Chromium identifies itself as a bot, which the registration refuses.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
    viewport: { width: 1280, height: 900 },
    ...(state !== undefined && { storageState: state }),
  })
  context.setDefaultTimeout(120_000)
  return context
}
