import type { BrowserContext } from 'playwright-core'

export interface Flood {
  lines: number
  frames: number
  /** Frames over 50 ms. */
  late: number
  /** Frames over 50 ms of the idle page, during an equal time before the flood. */
  lateIdle: number
  /** The heap in bytes after garbage collection: when the page holds its maximum of lines, and at the end. */
  heapFull: number
  heapEnd: number
}

/** Responds to the log stream with `rate` lines per second, instead of the stack. */
const flood = (rate: number) => `
  const own = globalThis.fetch
  globalThis.flooded = 0
  globalThis.fetch = (url, init) => {
    if (!String(url?.url ?? url).includes('/stream')) return own(url, init)
    const encoder = new TextEncoder()
    let timer
    const started = performance.now()
    const body = new ReadableStream({
      start(out) {
        timer = setInterval(() => {
          if (!globalThis.isFlooding) return
          const due = Math.min(${rate / 20}, ${rate} / 1000 * (performance.now() - (globalThis.floodedAt ?? performance.now() - 10)))
          globalThis.floodedAt = performance.now()
          let text = ''
          for (let i = 0; i < due; i++, globalThis.flooded++)
            text += 'id: ' + globalThis.flooded + '\\ndata: ' + JSON.stringify({ type: 'line', text: globalThis.flooded + ' a line of the usual length, as services print it' }) + '\\n\\n'
          if (text !== '') out.enqueue(encoder.encode(text))
        }, 10)
      },
      cancel() { clearInterval(timer) },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
  }`

const frames = (ms: number) => `new Promise((resolve) => {
  let late = 0, count = 0, last = performance.now()
  const end = last + ${ms}
  const frame = (now) => {
    count++
    if (now - last > 50) late++
    last = now
    if (now < end) requestAnimationFrame(frame)
    else resolve({ late, count })
  }
  requestAnimationFrame(frame)
})`

/** Opens an agent's log page with a log that is written fast. */
export async function readFlood(
  context: BrowserContext,
  path: string,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Flood> {
  const page = await context.newPage()
  const browser = await context.newCDPSession(page)
  await page.addInitScript(flood(rate))
  await page.goto(path)
  await page.getByRole('log', { name: 'Log' }).waitFor()
  const measure = async (ms: number) =>
    (await page.evaluate(frames(ms))) as { late: number; count: number }
  const heap = async () => {
    await browser.send('HeapProfiler.collectGarbage')
    const { usedSize } = await browser.send('Runtime.getHeapUsage')
    return usedSize
  }
  const idle = await measure(seconds * 1000)
  await page.evaluate('globalThis.isFlooding = true')
  // Long enough for the page to hold its maximum of lines.
  const first = await measure(3000)
  const heapFull = await heap()
  const rest = await measure(seconds * 1000 - 3000)
  const heapEnd = await heap()
  const lines = (await page.evaluate('globalThis.flooded')) as number
  await page.close()
  return {
    lines,
    frames: first.count + rest.count,
    late: first.late + rest.late,
    lateIdle: idle.late,
    heapFull,
    heapEnd,
  }
}
