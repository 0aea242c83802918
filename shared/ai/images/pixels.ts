/** How large an image is, in pixels. */
export interface Size {
  width: number
  height: number
}
