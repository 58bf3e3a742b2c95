#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each header itself includes the standard header of each standard name in it: standard_names.py TOP prints
those that do not and exits 1 if there is one.

Headers are compiled many at a time (headers.py), so one could rely on a standard header that another includes; this check of
the text finds that. It also reports names of std that are in no list below: add them.
"""
import re

from sources import INCLUDE, ROOMS, check, code_of, in_room

# Standard header -> its names in std. A name in several lists may come from any of these headers.
STD = {
    "algorithm": "all_of any_of clamp copy copy_n count count_if equal fill fill_n find find_if lower_bound max max_element min"
                 " min_element minmax none_of nth_element partition remove_if reverse rotate sort stable_sort transform unique"
                 " upper_bound ranges",
    "array": "array to_array",
    "atomic": "atomic atomic_bool atomic_flag atomic_ref memory_order memory_order_acquire memory_order_relaxed"
              " memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount",
    "charconv": "chars_format from_chars to_chars",
    "chrono": "chrono milli micro nano",
    "cmath": "abs ceil cos exp fabs floor fma hypot isfinite isinf isnan log pow round sin sqrt",
    "compare": "partial_ordering strong_ordering weak_ordering",
    "concepts": "convertible_to derived_from floating_point integral invocable same_as signed_integral unsigned_integral",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "csignal": "sig_atomic_t",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t",
    "cstdio": "FILE fclose fflush fopen fputs fread fwrite printf snprintf",
    "cstdlib": "abort exit free getenv malloc strtol",
    "cstring": "memcmp memcpy memmove memset strcmp strerror strlen",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception terminate uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "functional": "bit_and cref equal_to function greater hash invoke less minus not_fn plus ref reference_wrapper",
    "future": "future packaged_task promise",
    "initializer_list": "initializer_list",
    "ios": "ios",
    "iosfwd": "istream ostream stringstream",
    "iostream": "cerr cin clog cout",
    "istream": "istream getline",
    "iterator": "back_inserter begin end iterator_traits next prev size ssize",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "addressof allocator default_delete enable_shared_from_this make_shared make_unique make_unique_for_overwrite"
              " shared_ptr static_pointer_cast unique_ptr weak_ptr",
    "mutex": "adopt_lock call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "new": "bad_alloc nothrow",
    "numbers": "numbers",
    "numeric": "accumulate gcd inner_product iota lcm reduce",
    "optional": "make_optional nullopt nullopt_t optional",
    "ostream": "endl flush ostream",
    "queue": "priority_queue queue",
    "random": "bernoulli_distribution discrete_distribution minstd_rand mt19937 mt19937_64 normal_distribution random_device"
              " uniform_int_distribution uniform_real_distribution",
    "ranges": "ranges views",
    "ratio": "micro milli nano ratio",
    "regex": "regex",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error runtime_error",
    "stop_token": "stop_source stop_token",
    "string": "char_traits getline stod stoi stol stoul string to_string u8string wstring",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple get make_tuple tie tuple tuple_element_t tuple_size_v",
    "type_traits": "conditional_t decay_t enable_if_t false_type invoke_result_t is_const_v is_enum_v is_floating_point_v is_integral_v"
                   " is_same_v is_signed_v is_trivially_copyable_v is_unsigned_v is_void_v make_signed_t make_unsigned_t"
                   " remove_const_t remove_cvref_t remove_reference_t true_type type_identity_t underlying_type_t",
    "typeinfo": "type_info",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "as_const declval exchange forward get in_place index_sequence integer_sequence make_index_sequence make_pair move"
               " pair piecewise_construct swap",
    "variant": "get get_if holds_alternative monostate variant visit",
    "vector": "vector",
}

# The same for names of C and POSIX, without std.
POSIX = {
    "dirent.h": "DIR closedir opendir",
    "netinet/in.h": "in_addr in6_addr sockaddr_in sockaddr_in6",
    "poll.h": "pollfd",
    "pthread.h": "pthread_barrier_t pthread_mutex_t pthread_t",
    "regex.h": "regex_t",
    "csignal": "siginfo_t sigset_t",
    "signal.h": "siginfo_t sigset_t",
    "stddef.h": "ptrdiff_t size_t",
    "stdint.h": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "sys/resource.h": "rlimit rusage",
    "sys/socket.h": "sockaddr sockaddr_storage socklen_t",
    "sys/stat.h": "dev_t ino_t mode_t off_t",
    "sys/types.h": "dev_t gid_t ino_t mode_t off_t pid_t ssize_t uid_t",
    "sys/un.h": "sockaddr_un",
    "termios.h": "termios",
    "time.h": "time_t timespec",
    "ctime": "time_t timespec",
    "ucontext.h": "ucontext_t",
    "unistd.h": "",
}
NO_HEADER = re.compile(r"(char8|char16|char32|wchar)_t|pmix_\w+")  # Built-in types, and types of PMIx.


def by_name(lists):
    """Name -> the headers that declare it."""
    headers = {}
    for header, names in lists.items():
        for name in names.split():
            headers.setdefault(name, []).append(header)
    return headers


STD_HEADERS = by_name(STD)
POSIX_HEADERS = by_name(POSIX)
STANDARD = {*STD, *POSIX}
POSIX_NAME = re.compile(rf"(?<![\w.:>])(?:{'|'.join(POSIX_HEADERS)}|\w+_t)\b")


def header_findings(path, text):
    """The names that a header uses without including their standard header."""
    code = code_of(text)
    includes = {name for _, name in INCLUDE.findall(text)}
    used = [("std::" + name, STD_HEADERS.get(name)) for name in set(re.findall(r"\bstd::(\w+)", code))]
    used += [(name, POSIX_HEADERS.get(name)) for name in set(POSIX_NAME.findall(code)) if not NO_HEADER.fullmatch(name)]
    for name, headers in sorted(used, key=lambda pair: pair[0]):
        if headers is None:
            yield f"{path}: {name}: no header is known for it: add it to tests/structure/standard_names.py"
        elif not includes.intersection(headers):
            yield f"{path}: {name}: includes no {' or '.join(f'<{header}>' for header in headers)}"


def findings(files):
    return [finding for path in sorted(files) if in_room(path) and path.endswith(".h")
            for finding in header_findings(path, files[path])]


if __name__ == "__main__":
    check(findings, f"the headers of {', '.join(ROOMS)} include what they name")
