import type { Cli } from './cli.ts'

/**
 * Opens an address in the browser, if the machine has one. The caller prints the address in any case. Accepts only http
 * and https, because other schemes start programs on the machine.
 */
export async function openInBrowser(cli: Cli, address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return cli.say(`Not opened: this is not an http or https address: ${address}`)
  const { spawn } = await import('node:child_process')
  const opener = { darwin: 'open', win32: 'explorer' }[cli.process.platform as string] ?? 'xdg-open'
  const opened = spawn(opener, [url.href], { stdio: 'ignore', detached: true })
  // A machine without a display has no opener; the printed address is enough.
  opened.on('error', () => undefined)
  opened.unref()
}
