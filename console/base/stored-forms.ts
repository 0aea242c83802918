/** The state of a form field. */
interface Written {
  /** The position among the form's elements. */
  place: number
  name: string
  value: string
  checked: boolean
}

interface Kept {
  userId: string
  path: string
  /** The key is the name of the form. */
  forms: Record<string, Written[]>
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Stores the changed forms of the page, without passwords, until the same user returns to the page in this tab.
 * @param key the key in the session storage
 */
export function storeForms(key: string, changed: WeakSet<HTMLFormElement>, userId: string): void {
  const forms = [...document.forms].filter((form) => changed.has(form))
  if (forms.length === 0) return
  const stored: Kept = {
    userId,
    path: location.pathname,
    forms: Object.fromEntries(forms.map((form) => [nameOf(form), writtenIn(form)])),
  }
  sessionStorage.setItem(key, JSON.stringify(stored))
}

/**
 * Restores a form once.
 * @param userId the current user
 */
export function restoreForms(key: string, form: HTMLFormElement, userId: string | undefined): void {
  const text = sessionStorage.getItem(key)
  if (text === null || userId === undefined) return
  const stored = JSON.parse(text) as Kept
  if (stored.userId !== userId) return sessionStorage.removeItem(key)
  const { [nameOf(form)]: fields, ...forms } = stored.forms
  if (stored.path !== location.pathname || fields === undefined) return
  sessionStorage.setItem(key, JSON.stringify({ ...stored, forms }))
  for (const field of fields) putBack(form.elements[field.place], field)
}

/** Returns the label of the form's button, which identifies it on the page. */
function nameOf(form: HTMLFormElement): string {
  const button = (each: HTMLFormElement) => each.querySelector('[type=submit]')?.textContent ?? ''
  const alike = [...document.forms].filter((each) => button(each) === button(form))
  return `${button(form)} ${alike.indexOf(form)}`
}

function writtenIn(form: HTMLFormElement): Written[] {
  return [...form.elements].flatMap((input, place) => {
    if (!isInput(input) || input.type === 'password') return []
    const { name, value } = input
    return [{ place, name, value, checked: input instanceof HTMLInputElement && input.checked }]
  })
}

function putBack(input: Element | undefined, { name, value, checked }: Written): void {
  if (input === undefined || !isInput(input) || input.name !== name) return
  if (input instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(input.type)) {
    if (input.checked !== checked) input.click()
    return
  }
  input.value = value
  // The components handle these events like typing.
  for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
}

function isInput(target: Element): target is Input {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
}
