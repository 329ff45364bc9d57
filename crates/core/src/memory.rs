//! Memory in large pages.

use std::alloc::{GlobalAlloc, Layout, System};

/// From this size on a block is worth large pages, as NumPy has it.
const LARGE: usize = 4 << 20;

/// The allocator of the system, which asks for large pages where a block is large.
///
/// Fresh memory is given page by page when it is first touched, and for a matrix of a million rows
/// that costs more than filling it. With large pages there are five hundred times fewer of them.
/// Not for blocks that begin with a page: those are stores for packing, hundreds of MiB of which a
/// product of matrices touches some KiB.
/// A program names it once: `#[global_allocator] static MEMORY: LargePages = LargePages;`.
pub struct LargePages;

// Safety: every block comes from the allocator of the system and goes back to it with the same
// layout; the advice about pages changes no content and may fail without harm.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        advised(unsafe { System.alloc(layout) }, layout, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        advised(
            unsafe { System.alloc_zeroed(layout) },
            layout,
            layout.size(),
        )
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        advised(
            unsafe { System.realloc(pointer, layout, size) },
            layout,
            size,
        )
    }
}

/// Asks for large pages for the whole pages of a large block.
#[cfg(target_os = "linux")]
fn advised(pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    const PAGE: usize = 4096;
    if size >= LARGE && layout.align() < PAGE && !pointer.is_null() {
        let rest = pointer.addr() % PAGE;
        let skipped = if rest == 0 { 0 } else { PAGE - rest };
        // Safety: the range lies within the block, which is at least a thousand pages long.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(
                pointer.add(skipped).cast(),
                size - skipped,
                libc::MADV_HUGEPAGE,
            );
        }
    }
    pointer
}

/// Other systems choose the size of pages themselves.
#[cfg(not(target_os = "linux"))]
fn advised(pointer: *mut u8, _layout: Layout, _size: usize) -> *mut u8 {
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_blocks_keep_what_is_written_while_they_grow() {
        for size in [100, LARGE, LARGE + 12_345] {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // Safety: the layout is not empty, and the block is given back with its last size.
            #[allow(unsafe_code)]
            unsafe {
                let block = LargePages.alloc_zeroed(layout);
                assert!((0..size).step_by(777).all(|place| *block.add(place) == 0));
                *block.add(size - 1) = 7;
                let grown = LargePages.realloc(block, layout, 2 * size);
                assert_eq!(*grown.add(size - 1), 7);
                LargePages.dealloc(grown, Layout::from_size_align(2 * size, 8).unwrap());
            }
        }
    }
}
