export { Register } from './register.tsx'
export { SignIn } from './sign-in.tsx'
