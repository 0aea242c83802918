import type { Cli } from './cli.ts'

/**
 * Opens an address where the machine has something to open it with; it was printed in any case. Only http and https:
 * other schemes start programs of the machine.
 */
export async function openInBrowser(cli: Cli, address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return cli.say(`Not opened, because it is no http or https address: ${address}`)
  const { spawn } = await import('node:child_process')
  const opener = { darwin: 'open', win32: 'explorer' }[cli.process.platform as string] ?? 'xdg-open'
  const opened = spawn(opener, [url.href], { stdio: 'ignore', detached: true })
  // Without a display there is nothing to open it with.
  opened.on('error', () => undefined)
  opened.unref()
}
