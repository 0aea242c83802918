import { describe, expect, it } from 'vitest'
import { addressChangeAskedMail, addressChangedMail } from './address.ts'
import { passwordChangedMail, passwordResetMail, resetMail } from './password.ts'
import { signInMethodLinkedMail } from './sign-in-method.ts'
import { newAddressMail, verificationMail } from './verification.ts'

const web = 'https://app.example.com'
const link = `${web}/somewhere?token=abc`

const templates = {
  verification: (to: string, name: string) => verificationMail(to, name, link),
  newAddress: (to: string, name: string) => newAddressMail(to, name, link),
  reset: (to: string, name: string) => resetMail(to, name, link),
  passwordChanged: (to: string, name: string) => passwordChangedMail(to, name, web),
  passwordReset: (to: string, name: string) =>
    passwordResetMail(to, name, { webUrl: web, ended: [], images: [] }),
  changeAsked: (to: string, name: string) => addressChangeAskedMail(to, name, 'new@c.co', web),
  addressChanged: (to: string, name: string) => addressChangedMail(to, name, 'new@c.co'),
  linked: (to: string, name: string) => signInMethodLinkedMail(to, name, 'GitHub', web),
}

describe.each(Object.entries(templates))('the mail %s', (_, template) => {
  it('greets by name and has the same content in text and in HTML', () => {
    const { to, subject, text, html } = template('ada@b.co', 'Ada & Co')
    expect(to).toBe('ada@b.co')
    expect(subject).toMatch(/^[\w ]{10,60}$/)
    expect(text).toMatch(/^Hello Ada & Co,\n\n/)
    const visible = html
      .replace(/<[^>]*>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
    const words = (part: string) => part.split(/\s+/).filter(Boolean)
    expect(words(visible)).toEqual(words(text))
    for (const [url] of text.matchAll(/https:\S+/g)) expect(html).toContain(`<a href="${url}">`)
  })

  it.each([
    '<img src=x onerror=alert(1)>',
    'Ada\r\nBcc: all@b.co',
    'You won, see evil.example/prize',
    'https://evil.example',
    '\u202Eevil\u202C',
    'x'.repeat(100),
  ])('contains no message in the name %j', (name) => {
    const { subject, text, html } = template('ada@b.co', name)
    expect(subject + text + html).not.toMatch(/onerror|Bcc|evil\.example|\u202E|xxxx/)
    expect(subject).not.toMatch(/[\r\n]/)
  })
})

it('reveals little of the new address in the mail to the old mailbox', () => {
  for (const { text } of [
    templates.changeAsked('a@b.co', 'A'),
    templates.addressChanged('a@b.co', 'A'),
  ]) {
    expect(text).toContain('n…@c.co')
    expect(text).not.toContain('new@c.co')
  }
})
