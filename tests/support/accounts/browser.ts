interface Cookie {
  name: string
  value: string
  path: string
}

export interface Page {
  /** The final address: a page, or an address of the platform outside its API. */
  url: URL
  status: number
  html: string
}

export interface Browser {
  /** Opens an address and follows redirects, with a browser's rules for cookies. */
  open(url: string | URL): Promise<Page>
  /** Submits the form of the page that has all these fields, with these values. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>
  /** Returns the value of a cookie that the platform has set. */
  cookie(name: string): string | undefined
  /** Sets a cookie as another site would. */
  setCookie(name: string, value: string): void
  /** All addresses that the browser requested, in order. */
  visited: URL[]
}

/**
 * A minimal browser: enough for a sign-in.
 * @param origin the platform's origin, whose requests go to `platform`; all others use the network
 */
export function startBrowser(
  origin: string,
  platform: (request: Request) => Promise<Response>,
): Browser {
  const jars = new Map<string, Cookie[]>()
  const visited: URL[] = []
  const jarOf = (at: string) => jars.get(at) ?? []

  async function request(url: URL, init: RequestInit = {}): Promise<Page> {
    visited.push(url)
    const headers = new Headers(init.headers)
    const sent = jarOf(url.origin).filter(({ path }) => url.pathname.startsWith(path))
    if (sent.length > 0)
      headers.set('cookie', sent.map(({ name, value }) => `${name}=${value}`).join('; '))
    const made = new Request(url, { ...init, headers, redirect: 'manual' })
    if (url.origin === origin && !url.pathname.startsWith('/api/'))
      return { url, status: 200, html: '' }
    const response = await (url.origin === origin ? platform(made) : fetch(made))
    for (const line of response.headers.getSetCookie()) keep(url.origin, line)
    const location = response.headers.get('location')
    if (location !== null) return request(new URL(location, url))
    return { url, status: response.status, html: await response.text() }
  }

  function keep(at: string, line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const equals = pair.indexOf('=')
    const cookie = { name: pair.slice(0, equals), value: pair.slice(equals + 1), path: '/' }
    const attribute = (name: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
    cookie.path = attribute('path') ?? '/'
    const over = attribute('max-age') === '0' || Date.parse(attribute('expires') ?? '') < Date.now()
    const others = jarOf(at).filter(
      ({ name, path }) => name !== cookie.name || path !== cookie.path,
    )
    jars.set(at, over ? others : [...others, cookie])
  }

  return {
    visited,
    open: (url) => request(new URL(url)),
    submit(page, fields) {
      const form = formsOf(page).find(({ inputs }) =>
        Object.entries(fields).every(([name, value]) => {
          const given = inputs.get(name)
          return given === '' || given === value
        }),
      )
      if (form === undefined) throw new Error(`no such form at ${page.url.href}: ${page.html}`)
      const body = new URLSearchParams({ ...Object.fromEntries(form.inputs), ...fields })
      return request(new URL(form.action, page.url), { method: 'POST', body })
    },
    cookie: (name) => jarOf(origin).find((one) => one.name === name)?.value,
    setCookie: (name, value) => keep(origin, `${name}=${value}; Path=/`),
  }
}

function formsOf({ html }: Page): { action: string; inputs: Map<string, string> }[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', body = '']) => ({
    action: attributeOf(head, 'action'),
    inputs: new Map(
      [...body.matchAll(/<input\b([^>]*)>/gs)].map(([, input = '']) => [
        attributeOf(input, 'name'),
        attributeOf(input, 'value'),
      ]),
    ),
  }))
}

function attributeOf(tag: string, name: string): string {
  return (new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replaceAll('&amp;', '&')
}
