import type { BrowserContext, CDPSession, Page } from 'playwright-core'

/** The cost of a page view. Times in milliseconds. */
export interface Look {
  largestPaint: number
  /** The sum of layout shifts that the user did not cause. */
  shift: number
  /** The sum of the time of tasks beyond their first 50 ms. */
  blocking: number
  /** The requests to the platform before the page is useful. */
  calls: number
  /** The transferred bytes before the page is useful. */
  bytes: number
  /** The longest chain of sequential requests before the page is useful. */
  steps: number
}

/** Slow 4G as in browsers' developer tools, and a CPU slowdown of 4. */
const line = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const slowdown = 4

/** The time due to the connection alone: its round trips, and its bytes at the line's speed. */
export function lineMs({ steps, bytes }: Look): number {
  return steps * line.latency + (bytes / line.downloadThroughput) * 1000
}

const observe = `
  const seen = (globalThis.seen = { largestPaint: 0, shift: 0, blocking: 0 })
  const on = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  on('largest-contentful-paint', ({ startTime }) => { seen.largestPaint = startTime })
  on('layout-shift', ({ hadRecentInput, value }) => { if (!hadRecentInput) seen.shift += value })
  on('longtask', ({ duration }) => { seen.blocking += duration - 50 })`

/**
 * Opens a page in a new tab with a slow connection and CPU. @param shows a text that appears when the page is useful
 */
export async function look(context: BrowserContext, path: string, shows: string): Promise<Look> {
  const page = await context.newPage()
  const browser = await context.newCDPSession(page)
  await browser.send('Network.enable')
  await browser.send('Network.setCacheDisabled', { cacheDisabled: true })
  await browser.send('Network.emulateNetworkConditions', line)
  await browser.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(observe)
  const loads = loadsOf(browser)
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByText(shows).first().waitFor()
  const useful = structuredClone(loads)
  await settled(page)
  const seen = (await page.evaluate('globalThis.seen')) as Pick<
    Look,
    'largestPaint' | 'shift' | 'blocking'
  >
  await page.close()
  return {
    ...seen,
    calls: useful.filter(({ url }) => /^\/(?:api|oauth)\//.test(new URL(url).pathname)).length,
    bytes: useful.reduce((sum, load) => sum + load.bytes, 0),
    steps: stepsOf(useful),
  }
}

interface Load {
  id: string
  url: string
  /** Seconds of the browser's clock. */
  from: number
  to: number
  bytes: number
}

function loadsOf(browser: CDPSession): Load[] {
  const loads: Load[] = []
  const of = (id: string) => loads.find((load) => load.id === id)
  browser.on('Network.requestWillBeSent', ({ requestId, request, timestamp }) => {
    if (request.url.startsWith('http'))
      loads.push({ id: requestId, url: request.url, from: timestamp, to: Infinity, bytes: 0 })
  })
  browser.on('Network.responseReceived', ({ requestId, timestamp, response }) => {
    Object.assign(of(requestId) ?? {}, { to: timestamp, bytes: response.encodedDataLength })
  })
  browser.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
    Object.assign(of(requestId) ?? {}, { to: timestamp, bytes: encodedDataLength })
  })
  return loads
}

/** Returns the length of the longest chain of requests that each began after the end of another. */
function stepsOf(loads: readonly Load[]): number {
  const rows = new Map<Load, number>()
  for (const load of loads.toSorted((one, other) => one.from - other.from)) {
    const before = [...rows].filter(([{ to }]) => to <= load.from).map(([, row]) => row)
    rows.set(load, Math.max(0, ...before) + 1)
  }
  return Math.max(0, ...rows.values())
}

/** Resolves when nothing larger has been painted for a while. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const after = () => performance.now() - seen.largestPaint > 1500 ? resolve() : setTimeout(after, 100)
    after()
  })`)
}
