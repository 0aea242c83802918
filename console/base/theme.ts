import { effect, signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'theme'

/** The chosen theme; `system` follows the browser. */
export const theme = signal<Theme>(stored())

function stored(): Theme {
  const found = localStorage.getItem(key)
  return themes.find((each) => each === found) ?? 'system'
}

/** Applies the theme and stores it for the next visit. */
export function startTheme(): void {
  effect(() => {
    const { value } = theme
    document.documentElement.style.colorScheme = value === 'system' ? '' : value
    if (value === 'system') localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  })
}
