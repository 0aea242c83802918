import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { token, until } from '../testing/gateway.ts'
import { sendJson } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent()
let page: string
const waits: NodeJS.Timeout[] = []

beforeAll(async () => {
  page = await (await on.gateway.fetch('/')).text()
})
// A page that has lost its agent asks for it again and again, for as long as it is open.
afterAll(() => waits.forEach(clearTimeout))

/** As much of an element as the page uses. */
class Element {
  textContent = ''
  value = ''
  className = ''
  disabled = false
  children: Element[] = []
  onsubmit = (_: { preventDefault(): void }): void => {}
  remove = (): void => {}
  append(child: Element | string): void {
    if (typeof child === 'string') this.textContent += child
    else {
      this.children.push(child)
      child.remove = () => void this.children.splice(this.children.indexOf(child), 1)
    }
  }
  scrollIntoView(): void {}
}

/** Runs the page's own script, with the token where a browser has its cookie. */
async function visit() {
  const ids = [...page.matchAll(/ id="(\w+)"/g)].map(([, id = '']) => id)
  const elements = new Map(ids.map((id) => [id, new Element()]))
  const element = (id: string) => elements.get(id) ?? expect.fail(`no element is called ${id}`)
  element('send').disabled = page.includes('id="send" disabled')
  const document = { title: '', getElementById: element, createElement: () => new Element() }
  const sockets: WebSocket[] = []
  class Socket extends WebSocket {
    constructor(url: URL) {
      super(url, { headers: { authorization: `Bearer ${token}` } })
      sockets.push(this)
      // As in a browser, where an error that the page does not listen to ends nothing.
      this.on('error', () => {})
    }
  }
  const script = /<script[^>]*>([^]*)<\/script>/.exec(page)?.[1] ?? ''
  const AsyncFunction = Object.getPrototypeOf(visit).constructor as FunctionConstructor
  const run = AsyncFunction('document', 'location', 'WebSocket', 'fetch', 'setTimeout', script)
  await run(
    document,
    { href: `${on.gateway.url}/` },
    Socket,
    (path: string) => on.gateway.fetch(path),
    (again: () => void, ms: number) => void waits.push(setTimeout(again, ms)),
  )
  const say = (text: string) => {
    element('message').value = text
    element('form').onsubmit({ preventDefault: () => {} })
  }
  const said = () => element('said').children.map((one) => [one.className, one.textContent])
  await until(() => !element('send').disabled)
  return { document, element, say, said, leave: () => sockets.forEach((one) => one.terminate()) }
}

describe('the agent’s page', () => {
  it('is for a caller with the token, and runs nothing but its own script', async () => {
    expect((await fetch(`${on.gateway.url}/`)).status).toBe(401)
    const answer = await on.gateway.fetch('/')
    const policy = answer.headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(policy) ?? []
    expect(policy).toContain("default-src 'none'")
    expect(nonce).toMatch(/^.{20,}$/)
    const text = await answer.text()
    expect(text.split(`nonce="${nonce}"`)).toHaveLength(3)
    expect(page).not.toContain(nonce)
    expect(text).not.toMatch(/(?:src|href)="(?!data:)/)
  })

  it('talks with the agent, and shows what was said when it is opened again', async () => {
    const first = await visit()
    expect(first.document.title).toBe('Ada')
    expect(first.said()).toEqual([])
    first.say('How are you?')
    const talk = [
      ['user', 'How are you?'],
      ['assistant', 'Fine, thanks.'],
    ]
    await until(() => first.said()[1]?.[1] === 'Fine, thanks.')
    expect(first.said()).toEqual(talk)
    first.leave()
    const again = await visit()
    expect(again.said()).toEqual(talk)
    again.leave()
  })

  it('says why there is no answer', async () => {
    const { say, said, leave } = await visit()
    const before = said().length
    on.upstream.reply = (response) => sendJson(response, 503, { error: { message: 'Later' } })
    say('And now?')
    await until(() => said().at(-1)?.[0] === 'failed')
    expect(said().slice(before)).toEqual([
      ['user', 'And now?'],
      ['failed', 'Later'],
    ])
    leave()
  })
})
