/** A field of a form as a person left it. */
interface Written {
  /** Among the form's elements. */
  place: number
  name: string
  value: string
  checked: boolean
}

interface Kept {
  userId: string
  path: string
  /** By what tells a page's forms apart. */
  forms: Record<string, Written[]>
}

type Input = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/**
 * Keeps what stands in the page's changed forms, but no passwords, for the same user's return to the page in this tab.
 * @param key where
 */
export function keepWriting(key: string, changed: WeakSet<HTMLFormElement>, userId: string): void {
  const forms = [...document.forms].filter((form) => changed.has(form))
  if (forms.length === 0) return
  const kept: Kept = {
    userId,
    path: location.pathname,
    forms: Object.fromEntries(forms.map((form) => [nameOf(form), writtenIn(form)])),
  }
  sessionStorage.setItem(key, JSON.stringify(kept))
}

/** Puts back what was kept of a form, once. @param userId who is there now */
export function restoreWriting(
  key: string,
  form: HTMLFormElement,
  userId: string | undefined,
): void {
  const text = sessionStorage.getItem(key)
  if (text === null || userId === undefined) return
  const kept = JSON.parse(text) as Kept
  if (kept.userId !== userId) return sessionStorage.removeItem(key)
  const { [nameOf(form)]: fields, ...forms } = kept.forms
  if (kept.path !== location.pathname || fields === undefined) return
  sessionStorage.setItem(key, JSON.stringify({ ...kept, forms }))
  for (const field of fields) putBack(form.elements[field.place], field)
}

/** What its button says tells a form from the page's others. */
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
  // The components hear of it as they hear of typing.
  for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
}

function isInput(target: Element): target is Input {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
}
