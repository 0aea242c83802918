import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'

const executablePath = '/usr/bin/chromium'

/** Nothing but the tests' own requests leaves the browser. */
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

/** One browser for all tests, with a profile of its own that goes with it. */
function theBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error('these tests need Chromium: `apt-get install -y chromium`')
  browser ??= chromium.launch({ executablePath, args, headless: true })
  return browser
}

/** Ends the browser; for the end of a test file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

export interface Visit {
  page: Page
  context: BrowserContext
  /** What went wrong without being seen: console errors, refused loads, requests to other origins. */
  faults: string[]
}

interface VisitOptions {
  width?: number
  colours?: 'light' | 'dark'
  /** The colours are the system's own, as people choose them who see little. */
  forced?: boolean
}

const watch = `addEventListener('securitypolicyviolation', (event) => console.error(
  'securitypolicyviolation ' + event.effectiveDirective + ' ' + event.blockedURI))`

/** With CONSOLE_DELAY set, half of what the pages ask for comes up to so many milliseconds late, as over a slow line. */
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
 * A person of their own in a window of their own. After the test nothing may have gone wrong unseen.
 * @param allowed other origins that the test leads to
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
    // Headless Chromium calls itself a program, which registering refuses.
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
    // A refusal that the page shows in words is also written here by the browser.
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
    // What a route is still at when the test ends is nobody's fault.
    for (const each of [context, ...context.pages()])
      await each.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
    expect(faults).toEqual([])
  })
  return { page: await context.newPage(), context, faults }
}
