import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'

/** The shell has Chromium's pages without its windows, and takes a fifth less CPU time for a test. */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)

/** Only the tests' own requests leave the browser. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let browser: Promise<Browser> | undefined

/** Starts one browser for all tests, with a temporary profile. */
function theBrowser(): Promise<Browser> {
  if (executablePath === undefined)
    throw new Error('these tests need Chromium: `apt-get install -y chromium-headless-shell`')
  browser ??= chromium.launch({ executablePath, args, headless: true })
  return browser
}

/** Ends the browser after a test file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

export interface Visit {
  page: Page
  context: BrowserContext
  /** Invisible faults: console errors, failed loads, and requests to other origins. */
  faults: string[]
}

interface VisitOptions {
  width?: number
  colours?: 'light' | 'dark'
  /** Forced colours, as an operating system's high-contrast mode sets them. */
  forced?: boolean
}

const watch = `addEventListener('securitypolicyviolation', (event) => console.error(
  'securitypolicyviolation ' + event.effectiveDirective + ' ' + event.blockedURI))`

/** CONSOLE_DELAY delays half of the pages' requests by up to this many milliseconds, as a slow network does. */
const longestDelay = Number(process.env.CONSOLE_DELAY ?? 0)

const delay = `{
  const { fetch } = window
  window.fetch = async (...request) => {
    const answer = await fetch(...request)
    const ms = Math.random() < 0.5 ? Math.random() * ${longestDelay} : 0
    await new Promise((resolve) => setTimeout(resolve, ms))
    return answer
  }
}`

/**
 * Opens a browser window for a new user. After the test, fails if any invisible fault happened.
 * @param allowed other origins that the test visits
 */
export async function visit(
  { width = 1280, colours = 'light', forced = false }: VisitOptions = {},
  allowed: readonly string[] = [],
): Promise<Visit> {
  const { web } = inject('stack')
  const baseURL = `http://localhost:${new URL(web).port}`
  const browser = await theBrowser()
  const context = await browser.newContext({
    baseURL,
    // Headless Chromium's own User-Agent counts as a bot, which registration refuses.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
    viewport: { width, height: 900 },
    colorScheme: colours,
    reducedMotion: 'reduce',
    forcedColors: forced ? 'active' : 'none',
  })
  context.setDefaultTimeout(60_000)
  const faults: string[] = []
  await context.addInitScript(watch)
  if (longestDelay > 0) await context.addInitScript(delay)
  context.on('console', (message) => {
    // The browser also logs a refusal that the page already shows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text())
  })
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== baseURL && !allowed.includes(origin))
      faults.push(`a request to ${origin}`)
  })
  onTestFinished(async () => {
    // A route that is still being handled at the end of a test must not fail it.
    for (const each of [context, ...context.pages()])
      await each.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
    expect(faults).toEqual([])
  })
  return { page: await context.newPage(), context, faults }
}
